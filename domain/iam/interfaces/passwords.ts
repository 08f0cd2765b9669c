import type { ApiError } from '../../../runtime/errors.ts'
import type { Transaction } from '../../ports/store.ts'

/** Passwords of users (iam.md 4.7): argon2id, as PHC strings. */
export interface Passwords {
  /**
   * Throws AUTHENTICATION_THROTTLED if 64 calls wait, so that a call can be refused before it costs anything. A later
   * `hash` or `verify` may still throw the same error.
   */
  requireRoom(): void
  /**
   * Returns the hash of a password as a PHC string. At most one hash per core is computed at a time, and up to 64 calls
   * wait; further calls throw AUTHENTICATION_THROTTLED. Never call `hash` within a transaction.
   */
  hash(password: string): Promise<string>
  /** Returns whether the password matches the hash. Without a hash, the result is false after the same time. */
  verify(hash: string | undefined, password: string): Promise<boolean>
  /** Returns whether a hash was computed with parameters other than the current parameters. */
  isOutdated(hash: string): boolean
  /**
   * Returns the error PASSWORD_TOO_WEAK at `field` for a password that is not allowed for the address, otherwise
   * undefined.
   */
  weakness(password: string, email: string, field: string): Promise<ApiError | undefined>
  /** Sets the hash of a user, and keeps the last five hashes; `''` removes the password. */
  store(tx: Transaction, user: string, hash: string): Promise<void>
}
