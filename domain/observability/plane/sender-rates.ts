import { LRUCache } from 'lru-cache'
import { ingestRateExceeded } from '../../../output/observability/errors.ts'
import { TokenBucket } from '../../resources/token-bucket.ts'
import { definitionId } from '../quotas/definitions.ts'

/** The seconds of the rate that a full bucket holds (observability.md 3). */
const burstSeconds = 10

/** The largest number of workspaces whose buckets are kept; a forgotten bucket is full again. */
const maxWorkspaces = 100_000

/**
 * The samples that each workspace pushes to this server. The number of samples of a request is known once the request is
 * read, so a request is taken while the bucket has a sample left, and its samples are charged afterwards: a large request
 * leaves a debt, for which the next requests wait.
 */
export class SenderRates {
  readonly #buckets = new LRUCache<string, TokenBucket>({ max: maxWorkspaces })

  /** Throws INGEST_RATE_EXCEEDED unless the workspace may push now; `perSecond` is its limit, -1 for none. */
  require(workspace: string, perSecond: number, now: number): void {
    if (perSecond < 0) return
    const bucket =
      this.#buckets.get(workspace) ?? new TokenBucket({ capacity: perSecond * burstSeconds, perSecond }, now)
    this.#buckets.set(workspace, bucket)
    const wait = perSecond === 0 ? Infinity : bucket.take(1, now)
    if (wait === 0) return
    const retryAfterSeconds = Math.min(Math.ceil(wait), 3600)
    throw ingestRateExceeded(`the workspace pushes more than ${perSecond} samples a second`, {
      retryAfterSeconds,
      quota: [{ subject: definitionId('samplesPerSecond'), description: `at most ${perSecond} samples a second` }],
    })
  }

  /** Charges the samples of a request that `require` let pass. */
  charge(workspace: string, samples: number, now: number): void {
    this.#buckets.get(workspace)?.charge(samples - 1, now)
  }
}
