import { vmCrashed } from '../../../output/compute/errors.ts'
import { operationDeadlineExceeded } from '../../../output/shared/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { OperationError } from '../../ports/procedures.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { takeDifference } from '../../resources/quota-difference.ts'
import { dropReferencesOf } from '../../resources/references.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { ComputeEnvironment } from '../environment.ts'
import { forgetSource } from '../images/boot-sources-store.ts'
import { changeHolding, consumerOf } from '../vms/capacity.ts'
import { releaseInterfaces, switchPorts } from '../vms/ports.ts'
import { isIn, statusOf, verbRows, type Holding, type Status, type Verb } from '../vms/transitions.ts'
import { vmKind } from '../vms/vm-kind.ts'
import { vmCollection, type StoredVm } from '../vms/vms-store.ts'

/** The state of a machine after an operation. */
export interface VmEnd {
  readonly status: Status
  readonly holds: Holding
  readonly members: Partial<StoredVm>
}

/**
 * Locks a machine, and returns the machine if this operation still changes it; returns undefined after a deletion has
 * replaced the operation.
 */
export async function lockOwn(
  tx: Transaction,
  id: string,
  operationId: string | undefined,
): Promise<Stored<StoredVm> | undefined> {
  const stored = await tx.lock(vmCollection, id)
  return stored?.value.operation_id === operationId ? stored : undefined
}

/**
 * Writes the status of a machine after the success of a verb. Clears the reason and the message of an earlier failure.
 */
export async function succeed(
  environment: ComputeEnvironment,
  tx: Transaction,
  stored: Stored<StoredVm>,
  verb: Exclude<Verb, 'delete'>,
  isStarted: boolean,
): Promise<void> {
  const { value: vm } = stored
  const row = verb === 'create' && !isStarted ? unstarted : verbRows[verb]
  const now = formatMillis(environment.clock.now())
  const events = {
    BOOT: { boot_count: vm.boot_count + 1, last_start_time: now },
    POWER_OFF: { last_stop_time: now },
    SUSPENSION: { last_suspend_time: now },
  } as const
  const members = { status_reason: '', status_message: '', lifecycle: '' as const, ...(row.event && events[row.event]) }
  await end(environment, tx, stored, {
    status: row.success ?? 'ERROR',
    holds: row.holds.success ?? vm.holds,
    members,
  })
}

/** The row of the table of statuses for a creation without a boot. */
const unstarted = { ...verbRows.create, success: 'STOPPED', holds: { success: 'DISKS' }, event: undefined } as const

/** Writes the status of a machine after the failure of a verb, with the reason of the failure. */
export async function fail(
  environment: ComputeEnvironment,
  tx: Transaction,
  stored: Stored<StoredVm>,
  verb: Verb,
  { description, reason }: OperationError,
): Promise<void> {
  const { failure, holds } = verbRows[verb]
  // The driver may still change the machine, so only ERROR is certain.
  const status = reason === operationDeadlineExceeded.reason ? 'ERROR' : failure
  // The driver has powered a crashed machine off.
  const isOff = reason === vmCrashed.reason
  const held = status === failure ? holds.failure : undefined
  await end(environment, tx, stored, {
    status,
    holds: isOff ? 'DISKS' : (held ?? stored.value.holds),
    members: {
      status_reason: reason,
      status_message: description,
      ...(isOff && { last_stop_time: formatMillis(environment.clock.now()) }),
      ...(isOfLifecycle(stored.value) && { lifecycle: 'SUSPEND_FAILED' }),
    },
  })
}

/** Whether a machine is being suspended because of the state of its workspace. */
const isOfLifecycle = (vm: StoredVm): boolean =>
  isIn(vm, 'SUSPENDING') && vm.suspend_cause === 'NATIVE_VM_SUSPEND_CAUSE_WORKSPACE_LIFECYCLE'

/** Writes the end of an operation: the ports, the capacity, and the row. */
export async function end(
  { clock, functions: { network, topology } }: ComputeEnvironment,
  tx: Transaction,
  { id, value: vm, version }: Stored<StoredVm>,
  { holds, members, status }: VmEnd,
): Promise<void> {
  await switchPorts(network, tx, vm, status)
  // Less capacity is never refused.
  const held = holds === vm.holds ? {} : await changeHolding(topology, tx, vm, holds)
  const { suspend_cause, ...rest } = vm
  const cause = status === 'SUSPENDED' && suspend_cause !== undefined ? { suspend_cause } : {}
  const changes = { status: statusOf(status), operation_id: '', update_time: formatMillis(clock.now()) }
  await tx.update(vmCollection, id, { ...rest, ...cause, ...held, ...members, ...changes }, version)
}

/** Deletes the row of a machine that the driver has removed, and frees the machine's ports, quotas and capacity. */
export async function remove(
  { functions: { network, registry, topology }, taxonomy }: ComputeEnvironment,
  tx: Transaction,
  { id, value: vm, version }: Stored<StoredVm>,
): Promise<void> {
  await taxonomy.share(tx, workspaceScope(vm.workspace_id))
  await releaseInterfaces(network, tx, vm.network_interfaces)
  await dropReferencesOf(tx, { type: vmKind.type, id })
  await tx.delete(vmCollection, id, version)
  await forgetSource(registry, tx, id)
  await takeDifference(tx, taxonomy, vm.workspace_id, vmKind.takes?.(vm) ?? [], [])
  await topology.release(tx, consumerOf(vm))
}
