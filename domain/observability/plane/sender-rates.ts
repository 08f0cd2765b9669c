import { LRUCache } from 'lru-cache'
import { ingestRateExceeded } from '../../../output/observability/errors.ts'
import { TokenBucket } from '../../resources/token-bucket.ts'
import { definitionId, type QuotaName } from '../quotas/definitions.ts'

/** The seconds of the rate that a full bucket holds (observability.md 3). */
const burstSeconds = 10

/** The largest number of buckets that are kept; a forgotten bucket is full again. */
const maxBuckets = 100_000

/** The quotas of rates, with the things that they count. */
const counted = {
  logBytesPerSecond: 'bytes of log lines',
  samplesPerSecond: 'samples',
  spansPerSecond: 'spans',
} as const satisfies Partial<Record<QuotaName, string>>

/** A quota of a rate at which senders push. */
export type RateQuota = keyof typeof counted

/**
 * What each workspace pushes to this server, for each quota of a rate. The size of a request is known once the request is
 * read, so a request is taken while the bucket is not empty, and its size is charged afterwards: a large request leaves a
 * debt, for which the next requests wait.
 */
export class SenderRates {
  readonly #buckets = new LRUCache<string, TokenBucket>({ max: maxBuckets })

  /** Throws INGEST_RATE_EXCEEDED unless the workspace may push now; `perSecond` is its limit, -1 for none. */
  require(workspace: string, quota: RateQuota, perSecond: number, now: number): void {
    if (perSecond < 0) return
    const key = `${quota} ${workspace}`
    const bucket = this.#buckets.get(key) ?? new TokenBucket({ capacity: perSecond * burstSeconds, perSecond }, now)
    this.#buckets.set(key, bucket)
    const wait = perSecond === 0 ? Infinity : bucket.take(1, now)
    if (wait === 0) return
    const retryAfterSeconds = Math.min(Math.ceil(wait), 3600)
    const rate = `${perSecond} ${counted[quota]} a second`
    throw ingestRateExceeded(`the workspace pushes more than ${rate}`, {
      retryAfterSeconds,
      quota: [{ subject: definitionId(quota), description: `at most ${rate}` }],
    })
  }

  /** Charges the size of a request that `require` let pass. */
  charge(workspace: string, quota: RateQuota, size: number, now: number): void {
    this.#buckets.get(`${quota} ${workspace}`)?.charge(size - 1, now)
  }
}
