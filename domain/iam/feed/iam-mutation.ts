import type { IamArea } from '../../../output/iam/area.ts'
import type { IamOperation } from '../../../output/iam/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { JsonText } from '../../../runtime/json.ts'
import { isEnded } from '../../../runtime/operations.ts'
import type { Effect, Operations } from '../../ports/operations.ts'
import { again, done, type Procedure, type WorkOrder } from '../../ports/procedures.ts'
import type { Store, Transaction } from '../../ports/store.ts'
import type { Feed } from '../interfaces/feed.ts'
import { waitMs } from './settling.ts'

/** The parts that mutations of iam use. */
export interface MutationServices {
  readonly store: Store
  readonly operations: Operations<IamArea>
  readonly feed: Feed
}

/**
 * Runs `operations.mutate` for a change that affects decisions: the operation is DONE only after every server has
 * applied the change (iam.md 4.3). The call waits up to 3.5 s for the other servers, and then returns the operation in
 * its present state.
 */
export async function mutateIam(
  { feed, operations, store }: MutationServices,
  context: CallContext,
  request: object,
  change: (tx: Transaction) => Promise<Effect<IamArea>>,
): Promise<JsonText<IamOperation>> {
  let revision: number | undefined
  let isFollowed = false
  const answer = await operations.mutate(context, request, async tx => {
    const effect = await change(tx)
    requireDecided(feed, context)
    revision = feed.revised(tx)
    isFollowed = revision !== undefined && (await feed.isFollowed(tx))
    if (revision === undefined || !isFollowed || effect.procedure) return effect
    return { ...effect, procedure: settle(revision) }
  })
  // Another server may have joined after the transaction found none, so the call waits for new servers too.
  if (revision !== undefined && !isFollowed) await feed.settled(revision)
  return ended(store, operations, answer)
}

/**
 * Throws AUTHORIZATION_STALE if the lease of this server has expired. Call `requireDecided` at the end of a transaction
 * whose call was authorized from caches: a process that was paused or cut off for longer than its lease must not write
 * a change that other servers already refuse.
 */
export function requireDecided(feed: Pick<Feed, 'requireFresh'>, { operation }: CallContext): void {
  if (operation !== undefined && operation.permission !== '') feed.requireFresh()
}

interface Settle {
  readonly revision: number
}

const kind = 'iam.settle'

const settle = (revision: number): WorkOrder => ({ kind, input: { revision } satisfies Settle })

/**
 * The interval in milliseconds between two checks whether all servers have applied a change; a check takes much less
 * time.
 */
const askMs = 200

/** The delay after a failed poll, in milliseconds. */
const restMs = 1000

/** Returns the procedure that ends an operation once the other servers have applied its change. */
export const settleProcedure = ({ feed }: Pick<MutationServices, 'feed'>): Procedure<Settle> => ({
  kind,
  steps: [
    {
      name: 'settle',
      async run({ input }) {
        try {
          // Servers apply changes once a second. The procedure polls, because a blocking wait would delay other work.
          return (await feed.isSettled(input.revision)) ? done() : again(askMs)
        } catch (error) {
          // The change is committed even if the leases of other servers cannot be read, so the poll is retried.
          return again(restMs, error)
        }
      },
    },
  ],
})

const everyMs = 25

/**
 * Returns the operation once the operation has ended, or its latest known state after the time limit or a failed read.
 */
async function ended(
  store: Store,
  operations: Operations<IamArea>,
  answer: JsonText<IamOperation>,
): Promise<JsonText<IamOperation>> {
  let latest = answer
  const operation: IamOperation = JSON.parse(answer.text)
  if (isEnded(operation)) return latest
  for (const until = performance.now() + waitMs; performance.now() < until;) {
    await new Promise(resolve => setTimeout(resolve, everyMs))
    try {
      const stored = await store.get(operations.collection, operation.id)
      if (stored) latest = stored.text
      if (stored && isEnded(stored.value)) return latest
    } catch {
      // The change is committed; the caller can read the operation later.
      return latest
    }
  }
  return latest
}
