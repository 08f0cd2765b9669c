import { setTimeout as sleep } from 'node:timers/promises'
import type { DriverAnswer } from '../../../domain/compute/drivers/driver.ts'

/** The work of a change. An aborted job must end soon; the machine then stays as the job has left it. */
export type Work = (signal: AbortSignal) => Promise<DriverAnswer>

interface Job {
  /** The change of the job: its verb and its request. */
  readonly change: string
  readonly controller: AbortController
  readonly begunMs: number
  /** The outcome of the job; this promise never rejects. */
  readonly ended: Promise<Outcome>
  outcome?: Outcome
}

type Outcome =
  | { readonly kind: 'answered'; readonly answer: DriverAnswer }
  | { readonly kind: 'thrown'; readonly error: unknown }
  /** Another change has aborted the job. */
  | { readonly kind: 'aborted' }

/** The default time for which a call waits for its job, in milliseconds, so that a quick change needs one call. */
const shortMs = 100

/** The bounds of the time until the next call about the same change, in milliseconds. */
const [soonestMs, latestMs] = [50, 1000]

/**
 * The changes of machines in progress, one for each machine. A call begins a job or looks at its progress, so that no
 * call waits for a change to end. A call about another change aborts the job before. Jobs are memory of the process:
 * after a start of the server, a repeated call begins the change again.
 */
export class Jobs {
  readonly #jobs = new Map<string, Job>()

  /**
   * Begins a change of a machine unless the change has begun. Returns the result of the change, or the time until the
   * next call if the change has not ended within `patienceMs`. Throws the error of the change.
   */
  async run(vm: string, change: string, work: Work, patienceMs: number = shortMs): Promise<DriverAnswer> {
    const known = this.#jobs.get(vm)
    const job = known?.change === change ? known : this.#begin(vm, change, work)
    const outcome = job.outcome ?? (await Promise.race([job.ended, sleep(patienceMs, undefined, { ref: false })]))
    if (outcome === undefined) return { kind: 'waiting', afterMs: delayOf(performance.now() - job.begunMs) }
    if (outcome.kind === 'answered') return outcome.answer
    // The operation of the call has lost the machine, so nothing reads the answer.
    if (outcome.kind === 'aborted') return { kind: 'waiting', afterMs: latestMs }
    // The job is forgotten after its error, so that a repeated call begins the change again.
    if (this.#jobs.get(vm) === job) this.#jobs.delete(vm)
    throw outcome.error
  }

  /** Whether a change of the machine is in progress. */
  isBusy(vm: string): boolean {
    const job = this.#jobs.get(vm)
    return job !== undefined && job.outcome === undefined
  }

  /** Forgets the result of the last change of a machine that no longer exists. */
  forget(vm: string): void {
    if (!this.isBusy(vm)) this.#jobs.delete(vm)
  }

  /** Aborts all jobs, and returns once they have ended. The machines stay as the jobs have left them. */
  async close(): Promise<void> {
    const jobs = [...this.#jobs.values()]
    for (const { controller } of jobs) controller.abort(new Error('the server is closing'))
    await Promise.all(jobs.map(({ ended }) => ended))
  }

  #begin(vm: string, change: string, work: Work): Job {
    const before = this.#jobs.get(vm)
    before?.controller.abort(new Error('another change of the machine has begun'))
    const controller = new AbortController()
    const ended = (async (): Promise<Outcome> => {
      await before?.ended
      try {
        controller.signal.throwIfAborted()
        return { kind: 'answered', answer: await work(controller.signal) }
      } catch (error) {
        return controller.signal.aborted ? { kind: 'aborted' } : { kind: 'thrown', error }
      }
    })()
    const job: Job = { change, controller, begunMs: performance.now(), ended }
    void ended.then(outcome => (job.outcome = outcome))
    this.#jobs.set(vm, job)
    return job
  }
}

/** Returns the time until the next look at a change that has run for `ms`. */
const delayOf = (ms: number): number => Math.round(Math.min(latestMs, Math.max(soonestMs, ms / 4)))
