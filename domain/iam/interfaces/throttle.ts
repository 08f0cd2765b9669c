import type { CallContext } from '../../../runtime/context.ts'

/** An attempt to sign in. The attempt counts as failed until it is withdrawn. */
export interface Attempt {
  /** Withdraws the attempt after a success, and clears the failures of the address from this network. */
  succeed(): Promise<void>
  /** Withdraws an attempt that did not take place; clears no failures. */
  withdraw?(): Promise<void>
}

/**
 * Delays password guessing (iam.md 4.7). The throttle stores keyed digests of the addresses, and treats known and
 * unknown addresses equally.
 */
export interface Throttle {
  /**
   * Counts an attempt with a password for an address, before the password is verified. Throws AUTHENTICATION_THROTTLED
   * while attempts are refused.
   */
  password(email: string, context: CallContext): Promise<Attempt>
  /** Counts an attempt with a credential token. Throws AUTHENTICATION_THROTTLED while attempts are refused. */
  credentialToken(context: CallContext): Promise<Pick<Attempt, 'succeed'>>
  /**
   * Returns the times in RFC 3339 until which attempts for the addresses are refused, keyed by address. Addresses
   * without a delay are absent.
   */
  waits(emails: readonly string[], now: number): Promise<ReadonlyMap<string, string>>
}

/**
 * Awaits the verification of an attempt, and returns its result. If the verification throws, for example because the
 * hashing queue is full, the attempt is withdrawn and the error is rethrown.
 */
export async function unlessBusy<T>(attempt: Attempt, trying: Promise<T>): Promise<T> {
  try {
    return await trying
  } catch (error) {
    await attempt.withdraw?.()
    throw error
  }
}
