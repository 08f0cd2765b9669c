import { ApiError } from '../../../runtime/errors.ts'
import { checkOrder } from '../../../runtime/ordering.ts'
import type { ListQuery } from '../../../runtime/pagination.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Store } from '../../ports/store.ts'
import type { Turn, Worker } from '../../ports/workers.ts'
import { listCollection, listFields, toRenewAt } from '../revoked/lists-store.ts'
import type { RevocationLists } from './revocation-lists.ts'

/** The parts of the worker. */
export interface ListWorkerParts {
  readonly store: Pick<Store, 'page'>
  readonly now: () => number
  readonly lists: Pick<RevocationLists, 'renew'>
  readonly isSealed: () => boolean
  /** Receives the error of a list that cannot be signed; the worker tries again later. */
  readonly failed: (error: unknown, authority: string) => void
  readonly everyMs?: number
}

const batchSize = 50

/** The time after which the worker tries again to sign a list, in milliseconds. */
const retryMs = 60_000

/** The errors that an operator can expect: the list is signed once its cause is gone. */
const expected: ReadonlySet<string> = new Set(['VAULT_SEALED', 'KEY_VERSION_DISABLED', 'KEY_VERSION_DESTROYED'])

/**
 * Returns the worker that signs lists anew within 10 seconds after a revocation, and at half of their time even if
 * nothing was revoked (vault.md 4.5). The worker waits while the vault is sealed.
 */
export const listWorker = (parts: ListWorkerParts): Worker => ({
  name: 'vault.revocationLists',
  everyMs: parts.everyMs ?? 2000,
  async run(turn) {
    if (parts.isSealed()) return
    const now = parts.now()
    let after: ListQuery['after']
    do {
      const page = await parts.store.page(listCollection, dueAt(now, after))
      for (const { id, version } of page.items) {
        turn.signal.throwIfAborted()
        await renew(parts, turn, id, version)
      }
      after = page.next
    } while (after !== undefined)
  },
})

const dueAt = (now: number, after: ListQuery['after']): ListQuery => ({
  size: batchSize,
  filter: toRenewAt(now),
  order: checkOrder('renew_time', listFields),
  after,
  now,
})

async function renew({ failed, lists, now }: ListWorkerParts, turn: Turn, id: string, version: number): Promise<void> {
  let isFailed = false
  try {
    await lists.renew(id)
  } catch (error) {
    turn.signal.throwIfAborted()
    isFailed = true
    if (!(error instanceof ApiError && expected.has(error.reason))) failed(error, id)
  }
  await turn.tx(async tx => {
    const stored = await tx.lock(listCollection, id)
    // The signature or a later revocation has set the next time.
    if (stored?.version !== version) return
    const { renew_time: _due, ...kept } = stored.value
    // The last list of an authority whose certificate has ended is not due, and stays.
    const next = isFailed ? { ...kept, renew_time: formatMillis(now() + retryMs) } : kept
    await tx.update(listCollection, id, next, stored.version)
  })
}
