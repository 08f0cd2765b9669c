import type { ComputeArea } from '../../../output/compute/area.ts'
import { vmSavedStateExists } from '../../../output/compute/errors.ts'
import type { VmHandlers } from '../../../output/compute/handlers.ts'
import type { ParsedStopVmBody } from '../../../output/compute/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { Resources } from '../../resources/resources.ts'
import type { ComputeEnvironment } from '../environment.ts'
import { graceOf, orderOf, type VmWork } from '../work/vm-work.ts'
import { holdForVerb } from '../vms/capacity.ts'
import { createVm } from './create-vm.ts'
import { deleteVm } from './delete-vm.ts'
import { isIn, verbRows, type Verb } from '../vms/transitions.ts'
import { updateVm } from './update-vm.ts'
import { vmKind } from '../vms/vm-kind.ts'
import type { StoredVm } from '../vms/vms-store.ts'

/** Returns the handlers of the calls on virtual machines. */
export function vms(environment: ComputeEnvironment): VmHandlers {
  const { functions } = environment
  const resources = new Resources<StoredVm, ComputeArea>(vmKind, environment)
  const move = (
    verb: UserVerb,
    request: VerbRequest,
    context: CallContext,
    more: (vm: StoredVm) => Move = () => ({}),
  ) =>
    resources.verb(verb, request, context, async (tx, vm, operation_id) => {
      const { cleared = [], input, members } = more(vm)
      const held = await holdForVerb(functions.topology, tx, vm, verbRows[verb])
      const procedure = orderOf(verb, { vm: vm.id, ...input })
      return { members: { operation_id, ...members, ...held }, cleared, procedure }
    })
  return {
    listVms: (request, context) => resources.list(request, context),
    getVm: request => resources.get(request),
    createVm: (request, context) => createVm(environment, resources, request, context),
    updateVm: (request, context) => updateVm(environment, request, context),
    deleteVm: (request, context) => deleteVm(environment, request, context),
    startVm: (request, context) => move('start', request, context),
    stopVm: (request, context) => move('stop', request, context, vm => stopping(vm, request.body, context.now)),
    suspendVm: (request, context) => move('suspend', request, context, () => ({ members: byUser })),
    resumeVm: (request, context) => move('resume', request, context),
    restartVm: (request, context) =>
      move('restart', request, context, () => ({
        input: { grace: graceOf(request.body.grace_period_seconds, context.now) },
      })),
    resetVm: (request, context) => move('reset', request, context),
  }
}

type UserVerb = Exclude<Verb, 'create' | 'delete'>

type VerbRequest = Parameters<Resources<StoredVm, ComputeArea>['verb']>[1]

/** The part of a verb beyond its row in the table of statuses. */
interface Move {
  readonly input?: Omit<VmWork, 'vm'>
  readonly members?: Partial<StoredVm>
  readonly cleared?: readonly (keyof StoredVm)[]
}

const byUser = { suspend_cause: 'NATIVE_VM_SUSPEND_CAUSE_USER' } as const

/**
 * Returns the part of a stop beyond the table of statuses. Throws VM_SAVED_STATE_EXISTS for a suspended machine unless
 * the caller discards the saved state.
 */
function stopping(vm: StoredVm, { discard_saved_state, grace_period_seconds }: ParsedStopVmBody, now: number): Move {
  if (isIn(vm, 'SUSPENDED') && !discard_saved_state) throw savedState(vm)
  // Only a running guest can shut itself down, so a machine in another status is powered off at once.
  const grace = graceOf(isIn(vm, 'RUNNING') ? grace_period_seconds : 0, now)
  return { input: { grace }, cleared: ['suspend_cause'] }
}

const savedState = ({ id }: StoredVm) =>
  vmSavedStateExists(`virtual machine ${id} has a saved state; resume it, or stop it with discard_saved_state`, {
    resource: { type: vmKind.type, name: id },
    precondition: [{ type: 'STATE', subject: id, description: 'discard_saved_state must be true' }],
  })
