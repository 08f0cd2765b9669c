import { engineUnavailable } from '../../../../output/shared/errors.ts'
import { JsonText } from '../../../../runtime/json.ts'
import type { Log } from '../../../log.ts'
import { receivedError } from '../../native/calls/sent-error.ts'
import { CallingThread, programBeside, ThreadEnded } from '../../native/threads/calling-thread.ts'
import type { RequestCounts } from '../stack-counts.ts'
import type { StackSetting } from '../stack-setting.ts'
import type { MemberCall, StackMessage, StackReply } from './stack-messages.ts'

/** The number of threads. */
const size = 2

/** The largest heap of a thread in MiB: answers of some calls of 10 MiB each lie in it at one time. */
const heapMib = 512

/** The parts of the threads. */
export interface StackThreadsParts {
  readonly settings: readonly StackSetting[]
  readonly counts: RequestCounts
  readonly log: Pick<Log, 'error' | 'warn'>
}

/** A thread, and the calls that it has not answered. */
interface Slot {
  thread: CallingThread<StackMessage> | undefined
  open: number
}

/** The threads that ask the members of stacks: to read an answer of 10 MiB takes most of a second. */
export class StackThreads {
  readonly #parts: StackThreadsParts
  readonly #slots: readonly Slot[] = Array.from({ length: size }, () => ({ thread: undefined, open: 0 }))
  #lastNumber = 0

  constructor(parts: StackThreadsParts) {
    this.#parts = parts
  }

  /** Calls a function of a member in the thread with the fewest calls. Rejects with its error, and as ENGINE_UNAVAILABLE. */
  async call(asked: Omit<MemberCall, 'kind' | 'number'>, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted()
    const slot = this.#slots.reduce((best, each) => (each.open < best.open ? each : best))
    const thread = this.#threadOf(slot)
    const number = (this.#lastNumber += 1)
    const left = Promise.withResolvers<never>()
    const leave = (): void => {
      left.reject(signal.reason)
      thread.call({ kind: 'abort', number }).catch(() => {})
    }
    signal.addEventListener('abort', leave)
    slot.open += 1
    const replied = this.#reply(thread, { kind: 'call', number, ...asked }).finally(() => {
      slot.open -= 1
    })
    try {
      return await Promise.race([replied, left.promise])
    } finally {
      signal.removeEventListener('abort', leave)
      replied.catch(() => {})
    }
  }

  /** Ends all threads and calls. */
  async end(): Promise<void> {
    await Promise.all(this.#slots.map(({ thread }) => thread?.terminate()))
  }

  async #reply(thread: CallingThread<StackMessage>, call: MemberCall): Promise<unknown> {
    let reply: StackReply
    try {
      // The thread sends replies only.
      reply = (await thread.call(call)) as StackReply
    } catch (error) {
      if (!(error instanceof ThreadEnded)) throw error
      throw engineUnavailable(`the answers of the engine ${call.engine} are not read now; try again`, {
        retryAfterSeconds: 1,
      })
    }
    for (const { member, outcome } of reply.counted) this.#parts.counts[outcome](member)
    const { outcome } = reply
    if ('error' in outcome) throw receivedError(outcome.error)
    return 'json' in outcome ? new JsonText(outcome.json) : outcome.value
  }

  #threadOf(slot: Slot): CallingThread<StackMessage> {
    if (slot.thread && !slot.thread.isEnded) return slot.thread
    const { settings } = this.#parts
    const thread = new CallingThread<StackMessage>({
      name: 'reads stacks',
      program: programBeside(import.meta.url, 'stack-thread'),
      data: { settings },
      heapMib,
      report: () => {},
    })
    slot.thread = thread
    void this.#watch(thread)
    return thread
  }

  async #watch({ ended }: CallingThread<StackMessage>): Promise<void> {
    const err = await ended
    if (err !== undefined) this.#parts.log.error({ err }, 'a thread that reads stacks has failed, and is started again')
  }
}
