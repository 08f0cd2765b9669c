import { operationCancelled } from '../../../output/shared/errors.ts'
import { vmCrashed, vmProvisionFailed, vmStopFailed } from '../../../output/compute/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Procedure } from '../../ports/procedures.ts'
import type { ComputeEnvironment } from '../environment.ts'
import { statusOf, verbRows, type Verb } from '../vms/transitions.ts'
import { vmCollection } from '../vms/vms-store.ts'
import { stepOf, type DriverStep } from './driver-step.ts'
import { fail, lockOwn, remove, succeed } from './vm-end.ts'
import { updateProcedure } from './update-procedure.ts'
import type { VmWork } from './vm-work.ts'

/** The steps of a procedure; the end of the last step is the end of the operation. */
type Steps = readonly [...DriverStep[], DriverStep]

/** Returns the durable work on machines: a procedure for each verb, for the two ends of a crash, and for updates. */
export function vmProcedures(environment: ComputeEnvironment): readonly Procedure<VmWork>[] {
  const after =
    (verb: Exclude<Verb, 'delete'>): NonNullable<DriverStep['after']> =>
    (tx, stored, { isStarted = true }) =>
      succeed(environment, tx, stored, verb, isStarted)
  const boot = (verb: 'create' | 'start' | 'restart'): DriverStep => ({
    name: 'boot',
    reason: verbRows[verb].reason,
    run: (driver, call, { isStarted = true }) => (isStarted ? driver.start(call) : undefined),
    after: after(verb),
  })
  const single = (verb: 'reset' | 'suspend' | 'resume'): Steps => [
    { name: verb, reason: verbRows[verb].reason, run: (driver, call) => driver[verb](call), after: after(verb) },
  ]
  const steps: Readonly<Record<Verb, Steps>> = {
    create: [provisionNew(environment), boot('create')],
    start: [provision, boot('start')],
    stop: [{ ...powerDown, after: after('stop') }],
    restart: [powerDown, boot('restart')],
    reset: single('reset'),
    suspend: single('suspend'),
    resume: single('resume'),
    delete: [
      {
        name: 'destroy',
        reason: verbRows.delete.reason,
        isOptional: true,
        run: (driver, call) => driver.destroy(call),
        after: (tx, stored) => remove(environment, tx, stored),
      },
    ],
  }
  const verbs: readonly Verb[] = ['create', 'start', 'stop', 'restart', 'reset', 'suspend', 'resume', 'delete']
  return [
    ...verbs.map(verb => procedureOf(environment, verb, steps[verb])),
    procedureOf(environment, 'restart', [{ ...boot('restart'), reason: vmCrashed }], 'revive'),
    procedureOf(environment, 'stop', [crashed], 'crashed'),
    updateProcedure(environment),
  ]
}

const procedureOf = (
  environment: ComputeEnvironment,
  verb: Verb,
  steps: Steps,
  name: string = verb,
): Procedure<VmWork> => ({
  kind: `compute.${name}`,
  steps: steps.map(step => stepOf(environment, step)),
  async failed(tx, { input, operationId }, [error]) {
    // A deletion cancels the operation, and moves the machine itself.
    if (error.reason === operationCancelled.reason) return
    const stored = await lockOwn(tx, input.vm, operationId)
    if (stored) await fail(environment, tx, stored, verb, error)
  },
})

/** The step for a crashed machine that is not restarted: it powers the machine off and fails the operation. */
const crashed: DriverStep = {
  name: 'crashed',
  reason: vmCrashed,
  async run(driver, call) {
    const answer = await driver.powerOff(call)
    return answer.kind === 'done' ? { kind: 'failed', message: 'the hypervisor died' } : answer
  },
}

/** The step that creates the disks that a machine lacks. */
const provision: DriverStep = {
  name: 'provision',
  reason: vmProvisionFailed,
  run: (driver, call) => driver.provision(call),
}

/** Returns the step that creates the disks of a new machine. A machine that will boot is STARTING afterwards. */
const provisionNew = ({ clock }: ComputeEnvironment): DriverStep => ({
  ...provision,
  async after(tx, { id, value, version }, { isStarted = true }) {
    const changes = { status: statusOf('STARTING'), update_time: formatMillis(clock.now()) }
    if (isStarted) await tx.update(vmCollection, id, { ...value, ...changes }, version)
  },
})

/** The step that presses the power button, or powers the machine off at once if there is no grace period. */
const powerDown: DriverStep = {
  name: 'power-down',
  reason: vmStopFailed,
  run: (driver, call, { grace }) =>
    grace && grace.seconds > 0 ? driver.shutdown(call, grace.endMs) : driver.powerOff(call),
}
