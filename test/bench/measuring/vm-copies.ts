import { machines } from '../../../domain/compute/drivers/simulated/machines-store.ts'
import type { Machine } from '../../../domain/compute/drivers/simulated/machine.ts'
import { consumerOf } from '../../../domain/compute/vms/capacity.ts'
import { vmKind } from '../../../domain/compute/vms/vm-kind.ts'
import { vmCollection, type StoredVm } from '../../../domain/compute/vms/vms-store.ts'
import type { Clock } from '../../../domain/ports/clock.ts'
import type { Collection, Reader, Transaction } from '../../../domain/ports/store.ts'
import { references, type StoredReference } from '../../../domain/resources/references.ts'
import { consume } from '../../../domain/taxonomy/quotas/consume.ts'
import { allocationId, allocations, type StoredAllocation } from '../../../domain/topology/pools/allocations-store.ts'
import { withUse } from '../../../domain/topology/pools/pool-use.ts'
import { poolCollection } from '../../../domain/topology/pools/pools-store.ts'
import { operationsList } from '../../../output/compute/filters.ts'
import type { ComputeOperation } from '../../../output/compute/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { operationsCollection } from '../../../server/operations/area-records.ts'
import { works, type Work } from '../../../server/operations/work.ts'

/** The operations on virtual machines. */
export const vmOperations: Collection<ComputeOperation> = operationsCollection('compute', operationsList)

/** The rows of a virtual machine without interfaces, which copies are made from. */
interface VmRows {
  readonly vm: StoredVm
  readonly machine: Machine
  readonly allocation: StoredAllocation
  readonly zone: StoredReference
  /** The operation in progress, if there is one. */
  readonly change?: { readonly operation: ComputeOperation; readonly work: Work }
}

/** Returns the rows of a virtual machine without interfaces. Throws if a row is absent. */
export async function vmRowsOf(reader: Reader, id: string): Promise<VmRows> {
  const holder = { holder_type: vmKind.type, holder_id: id, target_type: 'topology.zones' }
  const vm = (await reader.get(vmCollection, id))?.value
  const machine = (await reader.get(machines, id))?.value
  const allocation = (await reader.get(allocations, allocationId({ type: vmKind.type, id })))?.value
  const zone = (await reader.find(references, holder))?.value
  if (!vm || !machine || !allocation || !zone) throw new Error(`virtual machine ${id} is not complete`)
  const operation = (await reader.get(vmOperations, vm.operation_id))?.value
  const work = (await reader.get(works, vm.operation_id))?.value
  return { vm, machine, allocation, zone, ...(operation && work && { change: { operation, work } }) }
}

/** Inserts copies of a virtual machine, whose names end with their numbers, with their capacity and their quotas. */
export async function copyVm(tx: Transaction, clock: Clock, rows: VmRows, count: number): Promise<void> {
  const { allocation, vm } = rows
  for (let i = 0; i < count; i += 1) await insertCopy(tx, clock, rows, `${vm.name}-${i}`)
  const amounts = (vmKind.takes?.(vm) ?? []).map(({ amount, quota }) => ({ quota, amount: amount * count }))
  await consume(tx, vm.workspace_id, amounts)
  const pool = await tx.lock(poolCollection, allocation.pool_id)
  if (!pool) throw new Error(`there is no resource pool ${allocation.pool_id}`)
  let used = pool.value
  for (let i = 0; i < count; i += 1) used = withUse(used, undefined, allocation)
  await tx.update(poolCollection, pool.id, used, pool.version)
}

async function insertCopy(
  tx: Transaction,
  clock: Clock,
  { allocation, change, machine, vm, zone }: VmRows,
  name: string,
): Promise<void> {
  const id = clock.newId()
  const operation_id = change ? clock.newId() : ''
  const action = machine.action && { ...machine.action, request: operation_id, end_ms: clock.now() }
  const of = consumerOf({ id, workspace_id: vm.workspace_id })
  await tx.insert(vmCollection, { ...vm, id, name, operation_id })
  await tx.insert(machines, { ...machine, id, ...(action && { action }) })
  await tx.insert(allocations, { ...allocation, id: allocationId(of), consumer_id: id })
  await tx.insert(references, { ...zone, id: zone.id.replace(vm.id, id), holder_id: id })
  if (!change) return
  const { operation, work } = change
  const run_after = formatMillis(clock.now())
  await tx.insert(vmOperations, { ...operation, id: operation_id, resource_id: id })
  await tx.insert(works, { ...work, id: operation_id, input: { ...Object(work.input), vm: id }, run_after })
}
