import type { IamOperation } from '../../output/iam/types.ts'
import type { CallContext } from '../../runtime/context.ts'
import type { JsonText } from '../../runtime/json.ts'
import { isEnded } from '../../runtime/operations.ts'
import type { Effect, Operations } from '../ports/operations.ts'
import { again, done, type Procedure, type WorkOrder } from '../ports/procedures.ts'
import type { Store, Transaction } from '../ports/store.ts'
import type { Feed } from './feed.ts'
import { waitMs } from './settling.ts'

/** What mutations of the area are run with. */
export interface MutationParts {
  readonly store: Store
  readonly operations: Operations<IamOperation>
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
  change: (tx: Transaction) => Promise<Effect>,
): Promise<JsonText<IamOperation>> {
  const answer = await operations.mutate(context, request, async tx => {
    const effect = await change(tx)
    const revision = await feed.unsettled?.(tx)
    return revision === undefined || effect.procedure ? effect : { ...effect, procedure: settle(revision) }
  })
  return feed.isShared ? ended(store, operations, answer) : answer
}

interface Settle {
  readonly revision: number
}

const kind = 'iam.settle'

const settle = (revision: number): WorkOrder => ({ kind, input: { revision } satisfies Settle })

/** Ends the operation of a change that other servers had to follow. */
export const settleProcedure = ({ feed }: Pick<MutationParts, 'feed'>): Procedure<Settle> => ({
  kind,
  steps: [
    {
      name: 'settle',
      run: async ({ input }) => ((await feed.settled(input.revision)) ? done() : again(500)),
    },
  ],
})

const everyMs = 25

/** The operation once it has ended, or as it is when the wait is over or it cannot be read. */
async function ended(
  store: Store,
  operations: Operations<IamOperation>,
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
