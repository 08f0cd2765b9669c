import type { Feed } from '../../domain/iam/interfaces/feed.ts'
import type { KeyChanges } from '../../domain/vault/seal/key-changes.ts'

/** Returns the changes of keys over the feed of iam. Without iam, only this server exists and applies its own changes. */
export function keyChangesOf(feed: Feed | undefined): KeyChanges {
  if (feed === undefined) return ownChanges()
  return {
    revise: async (tx, key) => void (await feed.revise(tx, 'KEY', key)),
    listen: ({ changed, reset }) =>
      feed.listen({
        changed: (kind, key) => {
          if (kind === 'KEY') changed(key)
        },
        reset,
      }),
  }
}

function ownChanges(): KeyChanges {
  const caches: Parameters<KeyChanges['listen']>[0][] = []
  return {
    async revise(tx, key) {
      tx.afterCommit(() => {
        for (const { changed } of caches) changed(key)
      })
    },
    listen: cache => void caches.push(cache),
  }
}
