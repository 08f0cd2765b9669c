import type { Reason, ErrorDomain } from '../runtime/errors.ts'

/**
 * The error domain of iam, which is the domain of the errors of the doors, whatever area was called (conventions §7).
 */
export const iam: ErrorDomain = { name: 'iam', base: 2_000_000 }

/** The reasons of refused authentication. */
export const doorReasons = {
  tokenMissing: { reason: 'TOKEN_MISSING', rpc: 'UNAUTHENTICATED', code: 2_000_101, domain: iam },
  tokenInvalid: { reason: 'TOKEN_INVALID', rpc: 'UNAUTHENTICATED', code: 2_000_102, domain: iam },
} as const satisfies Record<string, Reason>
