import { ApiError } from '../../../runtime/errors.ts'
import { vmResumeFailed } from '../../../output/compute/errors.ts'
import { engineUnavailable } from '../../../output/shared/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import type { NodeState } from '../../ports/taxonomy.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { ComputeEnvironment } from '../environment.ts'
import { consumerOf, needOf } from '../vms/capacity.ts'
import { isIn, statusOf, verbRows, type Status } from '../vms/transitions.ts'
import { vmCollection, type StoredVm } from '../vms/vms-store.ts'
import { beginUnasked } from './unasked.ts'
import { graceOf } from './vm-work.ts'

const lifecycle = 'NATIVE_VM_SUSPEND_CAUSE_WORKSPACE_LIFECYCLE'

/** The grace period of guests that are stopped with their workspace, in seconds (compute.md 4). */
const graceSeconds = 90

/** The time in milliseconds from a failed resume of a machine to the next resume for the state of the workspace. */
const restMs = 60_000

/** Begins the change of one locked machine, which no operation changes, towards the state of its workspace. */
type Step = (environment: ComputeEnvironment, tx: Transaction, stored: Stored<StoredVm>) => Promise<void>

/**
 * Begins the changes that bring the machines of a workspace to its state (compute.md 4), and returns whether all
 * machines are there. Throws the reason if a machine cannot be resumed; the next resume of this machine begins a minute
 * after the failure.
 */
export async function reconcile(
  environment: ComputeEnvironment,
  workspace: string,
  state: NodeState,
): Promise<boolean> {
  const step = steps[state]
  if (!step) return true
  const refusals: ApiError[] = []
  let isSettled = true
  // taxonomy repeats the call every second, so rows in other statuses, which may be thousands, are not read.
  const where = { workspace_id: workspace, status: unsettledIn(state).map(statusOf) }
  for await (const { id, value } of environment.store.each(vmCollection, where)) {
    if (isThere(value, state)) continue
    isSettled = false
    if (value.operation_id !== '') continue
    if (state === 'ACTIVE' && isResting(value, environment.clock.now())) {
      const message = `virtual machine ${value.name} could not be resumed: ${value.status_message}`
      refusals.push(engineUnavailable(message, { retryAfterSeconds: restMs / 1000 }))
      continue
    }
    try {
      await environment.store.tx(tx => changeOne(environment, tx, { id, workspace }, state, step))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      refusals.push(error)
    }
  }
  const [refusal] = refusals
  if (refusal) throw refusal
  return isSettled
}

/** Returns the statuses of the machines that are possibly not settled in a state of their workspace. */
function unsettledIn(state: NodeState): readonly Status[] {
  // Only machines in these statuses have a cause of a suspension.
  if (state === 'ACTIVE') return ['SUSPENDING', 'SUSPENDED', 'RESUMING']
  return ['RUNNING', ...transients, ...(state === 'ARCHIVED' ? (['SUSPENDED'] as const) : [])]
}

/** The statuses of machines that an operation leads to another status. */
const transients = [...new Set(Object.values(verbRows).map(({ transient }) => transient))]

/** Whether the last resume of a machine failed less than `restMs` ago. */
const isResting = ({ status_reason, update_time }: StoredVm, now: number): boolean =>
  status_reason === vmResumeFailed.reason && now < Date.parse(update_time) + restMs

/** Whether a machine is in a status that fits a state of its workspace. */
function isThere(vm: StoredVm, state: NodeState): boolean {
  if (state === 'ACTIVE') return vm.suspend_cause !== lifecycle
  if (state === 'ARCHIVED' && vm.suspend_cause === lifecycle) return false
  return vm.operation_id === '' && !isIn(vm, 'RUNNING')
}

async function changeOne(
  environment: ComputeEnvironment,
  tx: Transaction,
  { id, workspace }: { readonly id: string; readonly workspace: string },
  state: NodeState,
  step: Step,
): Promise<void> {
  const { taxonomy } = environment
  const scope = workspaceScope(workspace)
  await taxonomy.share(tx, scope)
  // A later change of the state has a reconciliation of its own.
  if ((await taxonomy.effectiveState(tx, scope))?.state !== state) return
  const stored = await tx.lock(vmCollection, id)
  if (stored?.value.operation_id === '' && !isThere(stored.value, state)) await step(environment, tx, stored)
}

/** Begins the suspension of a running machine, or its stop if the machine cannot be suspended. */
const suspend: Step = async (environment, tx, stored) => {
  if (stored.value.lifecycle === 'SUSPEND_FAILED') return stop(environment, tx, stored)
  const room = await environment.functions.topology.resize(
    tx,
    consumerOf(stored.value),
    needOf(stored.value, 'POWERED_AND_SAVED'),
  )
  if (room.kind !== 'allocated') return stop(environment, tx, stored)
  return beginUnasked(environment, tx, stored, 'suspend', { members: { suspend_cause: lifecycle } })
}

const resume: Step = (environment, tx, stored) => beginUnasked(environment, tx, stored, 'resume')

/** Begins the stop of a running machine. A suspended machine counts as suspended by the user, and is not resumed. */
const stop: Step = async (environment, tx, stored) => {
  const { id, value: vm, version } = stored
  const now = environment.clock.now()
  if (isIn(vm, 'RUNNING'))
    return beginUnasked(environment, tx, stored, 'stop', { input: { grace: graceOf(graceSeconds, now) } })
  const changes = { suspend_cause: 'NATIVE_VM_SUSPEND_CAUSE_USER', update_time: formatMillis(now) } as const
  await tx.update(vmCollection, id, { ...vm, ...changes }, version)
}

/** The step of each state, keyed by state. A workspace in another state is being deleted, and needs no step. */
const steps: Readonly<Partial<Record<NodeState, Step>>> = { ACTIVE: resume, SUSPENDED: suspend, ARCHIVED: stop }
