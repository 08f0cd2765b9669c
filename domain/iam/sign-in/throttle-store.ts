import type { Collection } from '../../ports/store.ts'
import type { Failures, ThrottleKind } from './throttle-rules.ts'

/**
 * The failed attempts under one throttle key, such as an email address with a network. Without the HMAC key, neither
 * the email address nor the network can be computed from the row.
 */
export interface StoredThrottle extends Failures {
  /** The digest of the kind and the value of the key. */
  readonly id: string
  readonly kind: ThrottleKind
  /** The digest of the address in the key; empty if the key contains no address. */
  readonly address: string
  /** The time from which no failure counts any more. */
  readonly expire_time: string
}

export const throttles: Collection<StoredThrottle> = {
  name: 'iam_throttles',
  id: 'id',
  columns: { address: 'STRING', expire_time: 'TIMESTAMP' },
  indexes: [['address'], ['expire_time']],
}
