import { vmDeletionProtected } from '../../../output/compute/errors.ts'
import type { ComputeOperation, DeleteVmRequest } from '../../../output/compute/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { checkEtag } from '../../../runtime/field-mask.ts'
import type { Answer } from '../../../runtime/json.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { Conflict, type Transaction } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { isAt } from '../../resources/find-rows.ts'
import type { ComputeEnvironment } from '../environment.ts'
import { orderOf } from '../work/vm-work.ts'
import { switchPorts } from '../vms/ports.ts'
import { isIn, statusOf } from '../vms/transitions.ts'
import { lockVm } from './update-vm.ts'
import { inProgress, vmKind } from '../vms/vm-kind.ts'
import { vmCollection, type StoredVm } from '../vms/vms-store.ts'

/**
 * Deletes a machine in every status but DELETING, and cancels an operation that changes the machine (compute.md 2).
 */
export const deleteVm = (
  environment: ComputeEnvironment,
  request: DeleteVmRequest,
  context: CallContext,
): Promise<Answer<ComputeOperation>> =>
  environment.operations.mutate(context, request, async (tx, operation_id) => {
    const { functions, taxonomy } = environment
    const { etag, workspace } = request
    await taxonomy.share(tx, workspaceScope(workspace))
    const cancelled = await cancelRunning(environment, tx, request)
    const { id, value: vm, version } = await lockVm(environment, tx, request)
    if (cancelled !== undefined && vm.operation_id !== cancelled)
      throw new Conflict(`virtual machine ${id} has another operation since the former one was cancelled`)
    checkEtag(etag, vm.etag)
    await taxonomy.requireActive(tx, workspace)
    const busy = isIn(vm, 'DELETING') ? inProgress(vm) : undefined
    if (busy) throw busy
    if (vm.deletion_protection) throw isProtected(vm)
    await switchPorts(functions.network, tx, vm, 'DELETING')
    const { suspend_cause: _over, ...rest } = vm
    const changes = { status: statusOf('DELETING'), operation_id, update_time: formatMillis(context.now) }
    await tx.update(vmCollection, id, { ...rest, ...changes }, version)
    const scope = workspaceScope(vm.workspace_id)
    const procedure = orderOf('delete', { vm: id })
    return { type: 'DELETE', resourceType: vmKind.type, resourceId: id, scope, procedure }
  })

/**
 * Cancels the operation on a machine before the machine is locked, because a step locks its work before the machine
 * too. Returns the id of the operation, or an empty text if no operation changes the machine. Returns undefined for an
 * absent machine and for a machine that is being deleted, whose deletion will be refused.
 */
async function cancelRunning(
  { operations }: ComputeEnvironment,
  tx: Transaction,
  { id, workspace }: DeleteVmRequest,
): Promise<string | undefined> {
  const vm = (await tx.get(vmCollection, id))?.value
  if (!vm || !isAt(vm, { workspace }) || isIn(vm, 'DELETING')) return undefined
  if (vm.operation_id !== '') await operations.cancel(tx, vm.operation_id, 'the virtual machine is being deleted')
  return vm.operation_id
}

const isProtected = ({ id }: StoredVm) =>
  vmDeletionProtected(`virtual machine ${id} is protected; set deletion_protection to false first`, {
    resource: { type: vmKind.type, name: id },
    precondition: [{ type: 'PROTECTION', subject: id, description: 'deletion_protection must be false' }],
  })
