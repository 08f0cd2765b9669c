import type { ApiError } from '../../../runtime/errors.ts'
import type { Transaction } from '../../ports/store.ts'

/** Passwords of users (iam.md 4.7): argon2id, as PHC strings. */
export interface Passwords {
  /**
   * The PHC string of a password. At most as many are made at once as there are cores, 64 wait; throws
   * AUTHENTICATION_THROTTLED beyond. Never within a transaction.
   */
  hash(password: string): Promise<string>
  /** Whether the password fits; takes the same time where there is no hash, which nothing fits. */
  verify(hash: string | undefined, password: string): Promise<boolean>
  /** Whether a hash was made with other parameters than are used now. */
  isOutdated(hash: string): boolean
  /** The error of a password that must not be used for the address: PASSWORD_TOO_WEAK, named by `field`. */
  weakness(password: string, email: string, field: string): Promise<ApiError | undefined>
  /** Sets the hash of a user and keeps the former ones, five of them; `''` voids the password. */
  store(tx: Transaction, user: string, hash: string): Promise<void>
}
