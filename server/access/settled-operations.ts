import type { AreaTypes } from '../../runtime/route.ts'
import type { Feed } from '../../domain/iam/interfaces/feed.ts'
import { requireDecided } from '../../domain/iam/feed/iam-mutation.ts'
import type { Operations } from '../../domain/ports/operations.ts'

/**
 * Wraps the operations of an area other than iam. A mutation that affects decisions is answered once every server has
 * applied the mutation (iam.md 4.3), or after 3.5 s. A server whose lease has expired during the call makes no change.
 */
export function settledOperations<Area extends AreaTypes>(operations: Operations<Area>, feed: Feed): Operations<Area> {
  return {
    collection: operations.collection,
    async mutate(context, request, change) {
      let revision: number | undefined
      const answer = await operations.mutate(context, request, async (tx, id) => {
        const effect = await change(tx, id)
        requireDecided(feed, context)
        revision = feed.revised(tx)
        return effect
      })
      if (revision !== undefined) await feed.settled(revision)
      return answer
    },
    unrecorded: (context, effect) => operations.unrecorded(context, effect),
    begin: (tx, effect) => operations.begin(tx, effect),
    follow: (tx, work) => operations.follow(tx, work),
    cancel: (tx, id, reason) => operations.cancel(tx, id, reason),
  }
}
