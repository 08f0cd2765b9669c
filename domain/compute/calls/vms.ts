import type { ComputeArea } from '../../../output/compute/area.ts'
import { vmSavedStateExists } from '../../../output/compute/errors.ts'
import type { VmHandlers } from '../../../output/compute/handlers.ts'
import type { Transaction } from '../../ports/store.ts'
import { Resources } from '../../resources/resources.ts'
import type { ComputeEnvironment } from '../environment.ts'
import { graceOf, orderOf } from '../work/vm-work.ts'
import { changeHolding } from '../vms/capacity.ts'
import { createVm } from './create-vm.ts'
import { deleteVm } from './delete-vm.ts'
import { isIn, verbRows, type Verb } from '../vms/transitions.ts'
import { updateVm } from './update-vm.ts'
import { vmKind } from '../vms/vm-kind.ts'
import type { StoredVm } from '../vms/vms-store.ts'

/** The calls of virtual machines. */
export function vms(environment: ComputeEnvironment): VmHandlers {
  const { functions } = environment
  const resources = new Resources<StoredVm, ComputeArea>(vmKind, environment)
  const hold = (tx: Transaction, vm: StoredVm, verb: Verb, how: 'resize' | 'reallocate') =>
    changeHolding(functions.topology, tx, vm, verbRows[verb].holds.transient ?? vm.holds, how)
  return {
    listVms: (request, context) => resources.list(request, context),
    getVm: request => resources.get(request),
    createVm: (request, context) => createVm(environment, resources, request, context),
    updateVm: (request, context) => updateVm(environment, request, context),
    deleteVm: (request, context) => deleteVm(environment, request, context),
    startVm: (request, context) =>
      resources.verb('start', request, context, async (tx, vm, operation_id) => ({
        members: { operation_id, ...(await hold(tx, vm, 'start', 'reallocate')) },
        procedure: orderOf('start', { vm: vm.id }),
      })),
    stopVm: (request, context) =>
      resources.verb('stop', request, context, async (_tx, vm, operation_id) => {
        const { discard_saved_state, grace_period_seconds: seconds } = request.body
        if (isIn(vm, 'SUSPENDED') && !discard_saved_state) throw savedState(vm)
        // A guest whose state is discarded, or that does not run, cannot be asked to shut down.
        const grace = graceOf(isIn(vm, 'RUNNING') ? seconds : 0, context.now)
        return {
          members: { operation_id },
          cleared: ['suspend_cause'],
          procedure: orderOf('stop', { vm: vm.id, grace }),
        }
      }),
    suspendVm: (request, context) =>
      resources.verb('suspend', request, context, async (tx, vm, operation_id) => {
        const suspend_cause = 'NATIVE_VM_SUSPEND_CAUSE_USER' as const
        return {
          members: { operation_id, suspend_cause, ...(await hold(tx, vm, 'suspend', 'resize')) },
          procedure: orderOf('suspend', { vm: vm.id }),
        }
      }),
    resumeVm: (request, context) =>
      resources.verb('resume', request, context, async (tx, vm, operation_id) => ({
        members: { operation_id, ...(await hold(tx, vm, 'resume', 'reallocate')) },
        procedure: orderOf('resume', { vm: vm.id }),
      })),
    restartVm: (request, context) =>
      resources.verb('restart', request, context, async (_tx, vm, operation_id) => ({
        members: { operation_id },
        procedure: orderOf('restart', { vm: vm.id, grace: graceOf(request.body.grace_period_seconds, context.now) }),
      })),
    resetVm: (request, context) =>
      resources.verb('reset', request, context, async (_tx, vm, operation_id) => ({
        members: { operation_id },
        procedure: orderOf('reset', { vm: vm.id }),
      })),
  }
}

const savedState = ({ id }: StoredVm) =>
  vmSavedStateExists(`virtual machine ${id} has a saved state; resume it, or stop it with discard_saved_state`, {
    resource: { type: vmKind.type, name: id },
    precondition: [{ type: 'STATE', subject: id, description: 'discard_saved_state must be true' }],
  })
