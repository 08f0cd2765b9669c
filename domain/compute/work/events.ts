import { vmGuestShutdown } from '../../../output/compute/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import type { Turn, Worker } from '../../ports/workers.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { Driver, MachineEvent } from '../drivers/driver.ts'
import type { ComputeEnvironment } from '../environment.ts'
import { isIn } from '../vms/transitions.ts'
import { vmCollection, type StoredVm } from '../vms/vms-store.ts'
import { driverVmOf } from './driver-step.ts'
import { beginUnasked, effectOn } from './unasked.ts'
import { end } from './vm-end.ts'

/** The maximal number of restarts after crashes within `restartsMs` milliseconds (compute.md 1). */
const maxRestarts = 5
const restartsMs = 10 * 60_000

/** Returns the worker that updates machines whose guest shut itself down or whose hypervisor died. */
export const watching = (environment: ComputeEnvironment): Worker => ({
  name: 'compute.events',
  everyMs: 1000,
  async run(turn) {
    const { clock, drivers, store } = environment
    for (const driver of Object.values(drivers)) {
      for await (const event of driver.events(store, clock.now())) {
        if (turn.signal.aborted) return
        const vm = await turn.tx(tx => follow(environment, tx, event))
        if (vm) await acknowledge(environment, driver, turn, vm)
      }
    }
  },
})

/** Updates the machine of an event. Returns a machine that is not RUNNING and that no operation changes, unchanged. */
async function follow(
  environment: ComputeEnvironment,
  tx: Transaction,
  { lapse, vm: id }: MachineEvent,
): Promise<StoredVm | undefined> {
  const seen = (await tx.get(vmCollection, id))?.value
  if (!seen) return undefined
  await environment.taxonomy.share(tx, workspaceScope(seen.workspace_id))
  const stored = await tx.lock(vmCollection, id)
  // The operation in progress finds the machine off. The driver repeats the event after the operation has ended.
  if (!stored || stored.value.operation_id !== '') return undefined
  const { value: vm } = stored
  if (!isIn(vm, 'RUNNING')) return vm
  if (lapse === 'GUEST_SHUTDOWN') await shutDown(environment, tx, stored)
  else await crash(environment, tx, stored)
  return undefined
}

async function shutDown(environment: ComputeEnvironment, tx: Transaction, stored: Stored<StoredVm>): Promise<void> {
  const { clock, operations } = environment
  await end(environment, tx, stored, {
    status: 'STOPPED',
    holds: 'DISKS',
    members: {
      status_reason: vmGuestShutdown.reason,
      status_message: 'the guest powered itself off',
      last_stop_time: formatMillis(clock.now()),
    },
  })
  await operations.begin(tx, effectOn(stored.value, 'STOP'))
}

/** Boots a crashed machine again, unless `auto_restart` is false or the machine has crashed too often. */
async function crash(environment: ComputeEnvironment, tx: Transaction, stored: Stored<StoredVm>): Promise<void> {
  const { auto_restart, crash_times } = stored.value
  const now = environment.clock.now()
  const recent = crash_times.split(',').filter(time => time !== '' && Number(time) > now - restartsMs)
  if (!auto_restart || recent.length >= maxRestarts)
    return beginUnasked(environment, tx, stored, 'stop', { work: 'crashed' })
  const members = { crash_times: [...recent, String(now)].join() }
  return beginUnasked(environment, tx, stored, 'restart', { work: 'revive', members })
}

/** Powers a machine that stays off down in its driver, so that the driver does not repeat the event. */
async function acknowledge(
  { clock, images }: ComputeEnvironment,
  driver: Driver,
  { signal, tx }: Turn,
  vm: StoredVm,
): Promise<void> {
  // A suspended machine keeps its saved state, which a power-off would discard.
  if (!isIn(vm, 'STOPPED', 'ERROR')) return
  await driver.powerOff({ vm: driverVmOf(vm, images), request: `off-${vm.id}`, now: clock.now(), signal, tx })
}
