import { vmUpdateFailed } from '../../../output/compute/errors.ts'
import { operationCancelled } from '../../../output/shared/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { OperationError, Procedure } from '../../ports/procedures.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { takeDifference } from '../../resources/quota-difference.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { nextEtag } from '../../resources/etag.ts'
import type { Disk, Driver, DriverAnswer, DriverCall } from '../drivers/driver.ts'
import type { ComputeEnvironment } from '../environment.ts'
import { changeHolding } from '../vms/capacity.ts'
import { vmKind } from '../vms/vm-kind.ts'
import { vmCollection, type StoredVm } from '../vms/vms-store.ts'
import { disksOf, stepOf, type DriverStep } from './driver-step.ts'
import { lockOwn } from './vm-end.ts'
import type { DiskSizes, VmWork } from './vm-work.ts'

/**
 * Returns the procedure that grows, adds and deletes disks. The machine keeps its status. After a failure, the row has
 * the disks from before the update.
 */
export const updateProcedure = (environment: ComputeEnvironment): Procedure<VmWork> => ({
  kind: 'compute.update',
  steps: [stepOf(environment, disks(environment))],
  async failed(tx, { input, operationId }, [error]) {
    // A deletion cancels the operation, and moves the machine itself.
    if (error.reason === operationCancelled.reason) return
    const stored = await lockOwn(tx, input.vm, operationId)
    if (stored) await restore(environment, tx, stored, error, input.before)
  },
})

const disks = (environment: ComputeEnvironment): DriverStep => ({
  name: 'disks',
  reason: vmUpdateFailed,
  run: changeDisks,
  after: (tx, stored) => settle(environment, tx, stored, { status_reason: '', status_message: '' }),
})

/** Gives all disks of a machine their sizes, and deletes the disks that the update has removed. */
async function changeDisks(driver: Driver, call: DriverCall, { before }: VmWork): Promise<DriverAnswer> {
  for (const disk of [...call.vm.disks, ...gone(before, call.vm.disks)]) {
    const answer = await driver.resizeDisk(call, disk)
    if (answer.kind !== 'done') return answer
  }
  return { kind: 'done' }
}

const gone = (before: DiskSizes | undefined, now: readonly Disk[]): readonly Disk[] =>
  (before?.data_disks ?? [])
    .filter(({ name }) => !now.some(disk => disk.name === name))
    .map(({ name }) => ({ name, size_gib: 0 }))

/** Sets the disks of a machine to their sizes before the update. */
const restore = (
  environment: ComputeEnvironment,
  tx: Transaction,
  stored: Stored<StoredVm>,
  { description, reason }: OperationError,
  before: DiskSizes | undefined,
): Promise<void> =>
  settle(environment, tx, stored, {
    ...(before && { boot_disk: before.boot_disk, data_disks: [...before.data_disks] }),
    status_reason: reason,
    status_message: description,
    etag: nextEtag(stored.value.etag),
    update_time: formatMillis(environment.clock.now()),
  })

/** Writes the end of an update. Quotas and capacity no longer count disks that are deleted or were not created. */
async function settle(
  { functions: { topology }, taxonomy }: ComputeEnvironment,
  tx: Transaction,
  { id, value: vm, version }: Stored<StoredVm>,
  changes: Partial<StoredVm>,
): Promise<void> {
  await taxonomy.share(tx, workspaceScope(vm.workspace_id))
  const after: StoredVm = { ...vm, ...changes, removed_gib: '0', operation_id: '' }
  await takeDifference(tx, taxonomy, vm.workspace_id, vmKind.takes?.(vm) ?? [], vmKind.takes?.(after) ?? [])
  const held = await changeHolding(topology, tx, after, after.holds)
  await tx.update(vmCollection, id, { ...after, ...held }, version)
}

/** Whether two sets of disks differ in their sizes or names, whatever their order. */
export function areDisksChanged(before: DiskSizes, after: DiskSizes): boolean {
  const sizesOf = ({ boot_disk, data_disks }: DiskSizes): string =>
    disksOf({ boot_disk, data_disks: [...data_disks] })
      .map(({ name, size_gib }) => `${name}:${size_gib}`)
      .toSorted()
      .join()
  return sizesOf(before) !== sizesOf(after)
}
