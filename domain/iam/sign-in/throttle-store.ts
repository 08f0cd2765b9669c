import type { Collection } from '../../ports/store.ts'
import type { Failures, ThrottleKind } from './throttle-rules.ts'

/** The failures of one key. Neither address nor network can be read from it. */
export interface StoredThrottle extends Failures {
  /** Digest of the kind and what it is about. */
  readonly id: string
  readonly kind: ThrottleKind
  /** Digest of the address that it is about; empty when it is about none. */
  readonly address: string
  /** When nothing of it counts any more. */
  readonly expire_time: string
}

export const throttles: Collection<StoredThrottle> = {
  name: 'iam_throttles',
  id: 'id',
  columns: { address: 'STRING', expire_time: 'TIMESTAMP' },
  indexes: [['address'], ['expire_time']],
}
