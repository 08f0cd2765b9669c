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

/** What mutations of the area are run with. */
export interface MutationParts {
  readonly store: Store
  readonly operations: Operations<IamArea>
  readonly feed: Feed
}

/**
 * As `operations.mutate`, for what decisions hang on: the operation is DONE only when every server follows the change
 * (iam.md 4.3). The call waits for that up to 3.5 s, and answers the operation as it then is.
 */
export async function mutateIam(
  { feed, operations, store }: MutationParts,
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
  // Whoever has come since it was written that nobody else is there is waited for all the same.
  if (revision !== undefined && !isFollowed) await feed.settled(revision)
  return ended(store, operations, answer)
}

/**
 * To be called at the end of a transaction whose call was let in by what is known here: a process that was stopped or cut
 * off since, for longer than its lease, must not write what others have answered to be no longer allowed.
 */
export function requireDecided(feed: Pick<Feed, 'requireFresh'>, { operation }: CallContext): void {
  if (operation !== undefined && operation.permission !== '') feed.requireFresh()
}

interface Settle {
  readonly revision: number
}

const kind = 'iam.settle'

const settle = (revision: number): WorkOrder => ({ kind, input: { revision } satisfies Settle })

/** How often it is asked whether all have followed, in milliseconds: rarely against the time that asking takes. */
const askMs = 200

/** How long it rests when that cannot be asked. */
const restMs = 1000

/** Ends the operation of a change that other servers had to follow. */
export const settleProcedure = ({ feed }: Pick<MutationParts, 'feed'>): Procedure<Settle> => ({
  kind,
  steps: [
    {
      name: 'settle',
      async run({ input }) {
        try {
          // Others follow once a second: what waits for them must not keep other work from its turn.
          return (await feed.isSettled(input.revision)) ? done() : again(askMs)
        } catch (error) {
          // What was changed is committed, whether it can be seen who follows or not.
          return again(restMs, error)
        }
      },
    },
  ],
})

const everyMs = 25

/** The operation once it has ended, or as it is when the wait is over or it cannot be read. */
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
      // What was changed is committed; the operation can be asked for later.
      return latest
    }
  }
  return latest
}
