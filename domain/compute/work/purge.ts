import { setTimeout as sleep } from 'node:timers/promises'
import type { Reader } from '../../ports/store.ts'
import type { Protection } from '../../ports/taxonomy.ts'
import type { ComputeEnvironment } from '../environment.ts'
import { vmKind } from '../vms/vm-kind.ts'
import { vmCollection, type StoredVm } from '../vms/vms-store.ts'
import { driverVmOf } from './driver-step.ts'

/** The number of machines that are destroyed at once. */
const batchSize = 100

/**
 * Destroys the machines of a deleted workspace without grace, and cancels their operations. The rows go with their kind;
 * ports and capacity go with the purges of network and topology.
 */
export async function purgeMachines(environment: ComputeEnvironment, workspace: string): Promise<void> {
  let batch: StoredVm[] = []
  for await (const { value } of environment.store.each(vmCollection, { workspace_id: workspace })) {
    batch.push(value)
    if (batch.length < batchSize) continue
    await destroyAll(environment, batch)
    batch = []
  }
  await destroyAll(environment, batch)
}

async function destroyAll(environment: ComputeEnvironment, vms: readonly StoredVm[]): Promise<void> {
  const { operations, store } = environment
  for (const { operation_id } of vms)
    if (operation_id !== '') await store.tx(tx => operations.cancel(tx, operation_id, 'the workspace is deleted'))
  let left = vms
  while (left.length > 0) {
    const waits = new Map<StoredVm, number>()
    for (const vm of left) {
      const afterMs = await destroy(environment, vm)
      if (afterMs > 0) waits.set(vm, afterMs)
    }
    left = [...waits.keys()]
    if (left.length > 0) await sleep(Math.max(...waits.values()))
  }
}

/** Returns the time after which the call is to be repeated, in milliseconds; 0 once the machine is gone. */
async function destroy({ clock, drivers, images, store }: ComputeEnvironment, vm: StoredVm): Promise<number> {
  const driver = vm.driver === '' ? undefined : drivers[vm.driver]
  if (!driver) return 0
  const { signal } = new AbortController()
  const call = { vm: driverVmOf(vm, images), request: `purge-${vm.id}`, now: clock.now(), signal }
  const answer = await driver.destroy({ ...call, tx: fn => store.tx(fn) })
  if (answer.kind === 'failed') throw new Error(`virtual machine ${vm.id} cannot be destroyed: ${answer.message}`)
  return answer.kind === 'waiting' ? answer.afterMs : 0
}

/** The machines that keep their workspace from being deleted by force. */
export async function protectionsOf(reader: Reader, workspace: string): Promise<readonly Protection[]> {
  const found: Protection[] = []
  for await (const { id, value } of reader.each(vmCollection, { workspace_id: workspace, deletion_protection: true })) {
    const reason = `virtual machine ${value.name} is protected; set deletion_protection to false first`
    found.push({ resourceType: vmKind.type, id, reason })
  }
  return found
}
