import type { CallContext } from '../../../runtime/context.ts'

/** An attempt that counts as failed until it is withdrawn. */
export interface Attempt {
  /** Withdraws a successful attempt, and clears the failures of the address from this network. */
  succeed(): Promise<void>
  /** Withdraws an attempt that was not made, and clears nothing. */
  withdraw?(): Promise<void>
}

/** Delays password guessing (iam.md 4.7). It stores digests under a key, alike for known and unknown addresses. */
export interface Throttle {
  /** Counts an attempt with a password for an address, before it is made. Throws AUTHENTICATION_THROTTLED. */
  password(email: string, context: CallContext): Promise<Attempt>
  /** Counts an attempt with a credential token. Throws AUTHENTICATION_THROTTLED. */
  credentialToken(context: CallContext): Promise<Pick<Attempt, 'succeed'>>
  /**
   * Returns the times in RFC 3339 until which attempts for the addresses are refused; addresses without a delay are
   * absent.
   */
  waits(emails: readonly string[], now: number): Promise<ReadonlyMap<string, string>>
}

/**
 * Runs an attempt. An attempt that the hashing queue refused did not fail: it is withdrawn, and the error is rethrown.
 */
export async function unlessBusy<T>(attempt: Attempt, trying: Promise<T>): Promise<T> {
  try {
    return await trying
  } catch (error) {
    await attempt.withdraw?.()
    throw error
  }
}
