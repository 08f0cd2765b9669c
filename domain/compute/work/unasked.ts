import type { ComputeArea } from '../../../output/compute/area.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Effect } from '../../ports/operations.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { ComputeEnvironment } from '../environment.ts'
import { holdForVerb } from '../vms/capacity.ts'
import { statusOf, verbRows, type Verb } from '../vms/transitions.ts'
import { vmKind } from '../vms/vm-kind.ts'
import { vmCollection, type StoredVm } from '../vms/vms-store.ts'
import { orderOf, type VmWork } from './vm-work.ts'

/** The part of an unrequested change that does not follow from its verb. */
export interface Unasked {
  readonly input?: Omit<VmWork, 'vm'>
  readonly members?: Partial<StoredVm>
  /** The kind of the work; absent: the work of the verb. */
  readonly work?: 'revive' | 'crashed'
}

/** Returns the effect of an operation on a machine. */
export const effectOn = (
  { id, workspace_id }: StoredVm,
  type: Effect<ComputeArea>['type'],
): Pick<Effect<ComputeArea>, 'type' | 'resourceType' | 'resourceId' | 'scope'> => ({
  type,
  resourceType: vmKind.type,
  resourceId: id,
  scope: workspaceScope(workspace_id),
})

/**
 * Begins a verb of the system principal on a machine that is locked and that no operation changes. Throws the refusals
 * of topology where the verb needs capacity.
 */
export async function beginUnasked(
  { clock, functions: { topology }, operations }: ComputeEnvironment,
  tx: Transaction,
  { id, value: vm, version }: Stored<StoredVm>,
  verb: Extract<Verb, 'suspend' | 'resume' | 'stop' | 'restart'>,
  { input, members, work }: Unasked = {},
): Promise<void> {
  const row = verbRows[verb]
  const held = await holdForVerb(topology, tx, vm, row)
  const procedure = orderOf(work ?? verb, { vm: id, ...input })
  const operation_id = await operations.begin(tx, { ...effectOn(vm, row.type), procedure })
  const changes = { status: statusOf(row.transient), operation_id, update_time: formatMillis(clock.now()) }
  await tx.update(vmCollection, id, { ...vm, ...held, ...members, ...changes }, version)
}
