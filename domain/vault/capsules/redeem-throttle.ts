import { LRUCache } from 'lru-cache'
import { capsuleThrottled } from '../../../output/vault/errors.ts'
import { networkOf } from '../../addresses/networks.ts'
import { TokenBucket } from '../../resources/token-bucket.ts'

/** The wrong tokens that a network may send: a number at once, and the number that is added each second. */
const limit = { capacity: 30, perSecond: 0.5 }

/** The maximal number of networks that a server remembers. */
const maxNetworks = 10_000

/**
 * Limits the wrong tokens of a network to 30 a minute (vault.md 4.4), on one server. Right tokens are never limited, so
 * nobody can lock out a recipient.
 */
export class RedeemThrottle {
  readonly #networks = new LRUCache<string, TokenBucket>({ max: maxNetworks })

  /** Counts a wrong token of an address. Throws CAPSULE_THROTTLED if the network has sent too many. */
  count(clientAddress: string, now: number): void {
    const network = networkOf(clientAddress)
    const bucket = this.#networks.get(network) ?? new TokenBucket(limit, now)
    this.#networks.set(network, bucket)
    const waitSeconds = bucket.take(1, now)
    if (waitSeconds === 0) return
    const retryAfterSeconds = Math.ceil(waitSeconds)
    throw capsuleThrottled(
      `too many wrong tokens came from the network of the caller; retry in ${retryAfterSeconds} s`,
      {
        retryAfterSeconds,
      },
    )
  }
}
