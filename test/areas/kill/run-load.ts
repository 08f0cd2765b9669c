import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../../runtime/errors.ts'
import { realTiming, type Timing } from '../../../runtime/retry.ts'
import { createTransport, type Authorize, type CallOptions, type Transport } from '../../../runtime/transport.ts'
import type { Entry, Intent } from '../../server/killed/journal.ts'

/** The JSON input of every client program; areas add the input of their actors. */
export interface Load {
  /** Begins the names of all that the clients make. */
  readonly name: string
  readonly addresses: readonly string[]
  /** The first one; a newer one comes as a line of the input. */
  readonly token: string
  /** The number of concurrent clients, each over a transport of its own. */
  readonly actors: number
}

/** The members of an operation record by which a call is known again. */
export interface Answered {
  readonly id: string
  readonly resource_id: string
}

/** Makes a call until it is answered; undefined when it was refused. */
export type Make = <Operation extends Answered>(
  intent: Intent,
  run: (options: CallOptions) => Promise<Operation>,
) => Promise<Operation | undefined>

/** The parts of one actor. */
export interface Acting {
  readonly transport: Transport
  readonly make: Make
  /** Begins the names of all that it makes. */
  readonly name: string
}

/** Makes one call after the other; each step is a call, or a few that follow each other. */
export interface Steps {
  step(): Promise<void>
}

/** Calls of an actor until it goes to the next server by itself. */
const callsAtOne = 25

// Lines to a pipe are written at once, so an intent is known before its call is made.
const tell = (entry: Entry): void => void process.stdout.write(`${JSON.stringify(entry)}\n`)

/** Goes to one server until it does not answer or has had its share, then to the next. */
function inTurn(addresses: readonly string[], first: number): typeof fetch {
  let at = first
  let calls = 0
  return async (target, init) => {
    if (typeof target !== 'string') throw new Error('a transport gives addresses as text')
    calls += 1
    if (calls % callsAtOne === 0) at += 1
    try {
      return await fetch(`${addresses[at % addresses.length] ?? ''}${target}`, init)
    } catch (error) {
      at += 1
      tell({ trouble: 'lost' })
      throw error
    }
  }
}

/** Servers do not live long here: a transport that waits for seconds, as it does by itself, would miss most of them. */
const sleepShortly: Timing['sleep'] = (ms, signal) => realTiming.sleep(Math.min(ms, 100), signal)

/** `token` is asked before every try. */
function transportOf({ addresses }: Load, actor: number, token: () => string): Transport {
  const authorize: Authorize = (headers, _isRepeatable, run) => {
    headers.set('authorization', `Bearer ${token()}`)
    return run()
  }
  const options = { baseUrl: '', authorize, retries: 10, timeoutMs: 60_000, timing: { sleep: sleepShortly } }
  return createTransport({ ...options, fetch: inTurn(addresses, actor) })
}

/** Calls anew when the only server is down for long, because a transport soon stops to retry. */
const make: Make = async (intent, run) => {
  tell(intent)
  for (;;) {
    try {
      const operation = await run({ idempotencyKey: intent.intent })
      tell({ of: intent.intent, operation: operation.id, resource: operation.resource_id })
      return operation
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.rpc !== 'UNAVAILABLE') {
        tell({ of: intent.intent, refused: error.reason ?? error.message })
        return undefined
      }
      tell({ trouble: 'again' })
      await sleep(50)
    }
  }
}

/**
 * Runs the actors of a load in this process until its input ends, and tells of each call in a line of JSON (an `Entry`)
 * on its output. Each line of the input is the token from then on, as tokens do not last as long as a run. Resolves when the calls that had begun are answered.
 */
export async function runLoad(load: Load, actorOf: (acting: Acting) => Steps): Promise<void> {
  const over = new AbortController()
  let { token } = load
  createInterface(process.stdin)
    .on('line', line => void (token = line))
    .on('close', () => over.abort())
  // The parent may be gone, and the servers with it.
  over.signal.addEventListener('abort', () => setTimeout(() => process.exit(1), 60_000).unref())
  await Promise.all(
    Array.from({ length: load.actors }, async (_, i) => {
      const actor = actorOf({ transport: transportOf(load, i, () => token), make, name: `${load.name}-${i}` })
      while (!over.signal.aborted) await actor.step()
    }),
  )
}
