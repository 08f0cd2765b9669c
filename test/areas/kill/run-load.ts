import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../../runtime/errors.ts'
import { createTransport, type Authorize, type CallOptions, type Transport } from '../../../runtime/transport.ts'
import type { Entry, Intent } from '../../server/killed/journal.ts'
import { sleepShortly } from './sleep-shortly.ts'

/** The JSON argument of every client program; the program of an area adds members for its actors. */
export interface Load {
  /** The prefix of the names of all resources that the clients create. */
  readonly name: string
  readonly addresses: readonly string[]
  /** The first access token; each line of the standard input is a newer token. */
  readonly token: string
  /** The number of concurrent clients, each over a transport of its own. */
  readonly actors: number
}

/** The members of an operation that identify a call and its resource. */
export interface Answered {
  readonly id: string
  readonly resource_id: string
}

/** Repeats a call until the server responds; returns the operation, or undefined if the server refuses the call. */
export type Make = <Operation extends Answered>(
  intent: Intent,
  run: (options: CallOptions) => Promise<Operation>,
) => Promise<Operation | undefined>

/** The dependencies of one actor. */
export interface Acting {
  readonly transport: Transport
  readonly make: Make
  /** The prefix of the names of all resources that the actor creates. */
  readonly name: string
}

/** An actor of a load; `step` makes one call, or a few consecutive calls. */
export interface Steps {
  step(): Promise<void>
}

/** The number of calls after which an actor changes to the next server. */
const callsAtOne = 25

// A write to a pipe is synchronous, so the parent knows an intent before its call is made.
const tell = (entry: Entry): void => void process.stdout.write(`${JSON.stringify(entry)}\n`)

/** Returns a `fetch` that changes to the next server after `callsAtOne` calls, or when a server does not respond. */
function inTurn(addresses: readonly string[], first: number): typeof fetch {
  let at = first
  let calls = 0
  return async (target, init) => {
    if (typeof target !== 'string') throw new Error('a transport must pass its targets as text')
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

/** Makes a transport that calls `token` before every attempt. */
function transportOf({ addresses }: Load, actor: number, token: () => string): Transport {
  const authorize: Authorize = (headers, _isRepeatable, run) => {
    headers.set('authorization', `Bearer ${token()}`)
    return run()
  }
  const options = { baseUrl: '', authorize, retries: 10, timeoutMs: 60_000, timing: { sleep: sleepShortly } }
  return createTransport({ ...options, fetch: inTurn(addresses, actor) })
}

/**
 * Prints the intent of a call, repeats the call while no server is available, and prints the outcome; returns the
 * operation, or undefined for a refusal. The transport alone would give up after 10 retries.
 */
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
 * Runs the actors of a load in this process until its standard input ends, and prints a line of JSON (an `Entry`) for
 * each event of a call. Each line of the input is a newer token, because a token expires before a run ends. Resolves
 * when the calls in progress have ended.
 */
export async function runLoad(load: Load, actorOf: (acting: Acting) => Steps): Promise<void> {
  const over = new AbortController()
  let { token } = load
  createInterface(process.stdin)
    .on('line', line => void (token = line))
    .on('close', () => over.abort())
  // If the servers have ended with the parent, the calls in progress never end; this timer ends the process.
  over.signal.addEventListener('abort', () => setTimeout(() => process.exit(1), 60_000).unref())
  await Promise.all(
    Array.from({ length: load.actors }, async (_, i) => {
      const actor = actorOf({ transport: transportOf(load, i, () => token), make, name: `${load.name}-${i}` })
      while (!over.signal.aborted) await actor.step()
    }),
  )
}
