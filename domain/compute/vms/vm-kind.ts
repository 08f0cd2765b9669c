import { vmNotFound, vmOperationInProgress, vmStateInvalid } from '../../../output/compute/errors.ts'
import { vmFields } from '../../../output/compute/validators.ts'
import type { ApiError } from '../../../runtime/errors.ts'
import type { Amount } from '../../ports/taxonomy.ts'
import { defineKind } from '../../resources/kind.ts'
import type { StateTable } from '../../resources/states.ts'
import { disksGib } from './capacity.ts'
import { stableStatuses, statusOf, verbRows } from './transitions.ts'
import { vmCollection, type StoredVm } from './vms-store.ts'

const type = 'compute.vms'

/** Returns VM_OPERATION_IN_PROGRESS for a machine that an operation is changing; otherwise undefined. */
export function inProgress({ id, operation_id }: StoredVm): ApiError | undefined {
  if (operation_id === '') return undefined
  const message = `operation ${operation_id} is changing virtual machine ${id}; wait for its end, or delete the machine`
  return vmOperationInProgress(message, { operation_id }, { resource: { type, name: id }, retryAfterSeconds: 1 })
}

/** The verbs of the table of statuses in the form of `StateTable`. */
const verbs = Object.entries(verbRows).map(([verb, row]) => [
  verb,
  { type: row.type, from: row.from.map(statusOf), to: statusOf(row.transient) },
])

const states: StateTable<StoredVm> = {
  member: 'status',
  transitions: { ...Object.fromEntries(verbs), update: { type: 'UPDATE', from: stableStatuses.map(statusOf) } },
  busy: inProgress,
  invalid: (message, { allowed, current }, details) =>
    vmStateInvalid(message, { current_status: current, allowed_statuses: allowed }, details),
}

/** Returns the amounts of the quotas that a machine takes, which its status does not change (compute.md 4). */
const takes = (vm: StoredVm): readonly Amount[] => [
  { quota: 'compute.vms', amount: 1 },
  { quota: 'compute.vcpus', amount: vm.cpu.count },
  { quota: 'compute.memory_mib', amount: vm.memory_mib },
  { quota: 'compute.disk_gib', amount: disksGib(vm) },
]

/** The kind of virtual machines. `createVm` records their references to zones, because zones belong to another area. */
export const vmKind = defineKind({
  type,
  noun: 'virtual machine',
  collection: vmCollection,
  fields: vmFields,
  notFound: vmNotFound,
  states,
  takes,
})
