import { setTimeout as sleep } from 'node:timers/promises'
import { TaxonomyClient } from '../../../output/taxonomy/client.ts'
import type { TaxonomyOperation } from '../../../output/taxonomy/types.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { realTiming, type Timing } from '../../../runtime/retry.ts'
import { createTransport, type CallOptions } from '../../../runtime/transport.ts'
import { Actor } from './actor.ts'
import type { Entry, Intent } from './journal.ts'

/** What a client is told as JSON. */
export interface Load {
  /** Begins the names of all that it makes. */
  readonly name: string
  readonly addresses: readonly string[]
  readonly token: string
  readonly organisation: string
  readonly sharedGroup: string
}

const actorCount = 6

/** Calls of an actor until it goes to the next server by itself. */
const callsAtOne = 25

/** A process of actors that change one organisation until its input ends, and tell of each call. */
const [text = ''] = process.argv.slice(2)
const load: Load = JSON.parse(text)

const over = new AbortController()
process.stdin.on('end', () => over.abort()).resume()
// Whoever started this one may be gone, and the servers with him.
over.signal.addEventListener('abort', () => setTimeout(() => process.exit(1), 60_000).unref())

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

/** Servers do not live long here: who waits for seconds, as transports do by themselves, would miss most of them. */
const sleepShortly: Timing['sleep'] = (ms, signal) => realTiming.sleep(Math.min(ms, 100), signal)

function clientOf(actor: number): TaxonomyClient {
  const { addresses, token } = load
  const options = { baseUrl: '', token, retries: 10, timeoutMs: 60_000, timing: { sleep: sleepShortly } }
  return new TaxonomyClient(createTransport({ ...options, fetch: inTurn(addresses, actor) }))
}

/** Makes a call until it is answered: when the only server is down for long, a transport soon stops to retry. */
async function make(
  intent: Intent,
  run: (options: CallOptions) => Promise<TaxonomyOperation>,
): Promise<TaxonomyOperation | undefined> {
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

const { name, organisation, sharedGroup } = load
await Promise.all(
  Array.from({ length: actorCount }, async (_, i) => {
    const actor = new Actor({ client: clientOf(i), make, name: `${name}-${i}`, organisation, sharedGroup })
    while (!over.signal.aborted) await actor.step()
  }),
)
