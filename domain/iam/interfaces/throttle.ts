import type { CallContext } from '../../../runtime/context.ts'

/** An attempt that counts as failed until it is taken back. */
export interface Attempt {
  /** It succeeded: takes it back, and forgets the failures of the address from this network. */
  succeed(): Promise<void>
  /** It was not tried at all: takes it back, and forgets nothing. */
  withdraw?(): Promise<void>
}

/** Slows down who guesses (iam.md 4.7). What it keeps are digests under a key, alike for known and unknown addresses. */
export interface Throttle {
  /** Counts an attempt with a password for an address before it is tried. Throws AUTHENTICATION_THROTTLED. */
  password(email: string, context: CallContext): Promise<Attempt>
  /** Counts a try of a credential token. Throws AUTHENTICATION_THROTTLED. */
  credentialToken(context: CallContext): Promise<Pick<Attempt, 'succeed'>>
  /** Until when attempts for each of the addresses are refused, RFC 3339; absent from the map when they are not. */
  waits(emails: readonly string[], now: number): Promise<ReadonlyMap<string, string>>
}

/** An attempt that was not tried, because too many others were, did not fail: it is withdrawn, and the error goes on. */
export async function unlessBusy<T>(attempt: Attempt, trying: Promise<T>): Promise<T> {
  try {
    return await trying
  } catch (error) {
    await attempt.withdraw?.()
    throw error
  }
}
