import type { ApiError } from '../../../runtime/errors.ts'
import type { Transaction } from '../../ports/store.ts'

/** Passwords of users (iam.md 4.7): argon2id, as PHC strings. */
export interface Passwords {
  /**
   * Hashes a password to a PHC string. At most one hash per core runs at a time, and 64 wait; beyond, it throws
   * AUTHENTICATION_THROTTLED. Never call it within a transaction.
   */
  hash(password: string): Promise<string>
  /** Whether the password matches the hash. It takes the same time without a hash, and then returns false. */
  verify(hash: string | undefined, password: string): Promise<boolean>
  /** Whether a hash was made with outdated parameters. */
  isOutdated(hash: string): boolean
  /** Returns the error of a password that is not allowed for the address: PASSWORD_TOO_WEAK at `field`. */
  weakness(password: string, email: string, field: string): Promise<ApiError | undefined>
  /** Sets the hash of a user and keeps the last five hashes; `''` voids the password. */
  store(tx: Transaction, user: string, hash: string): Promise<void>
}
