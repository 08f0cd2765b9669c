import type { ErrorReason } from '../model/types.ts'
import { quote } from './layout/typescript.ts'

/** The members of the runtime's `ErrorDetails`, in its order. */
export type DetailMember = 'badRequest' | 'precondition' | 'quota' | 'resource' | 'retryAfterSeconds'

/** The endings of the reasons whose errors name the resource that the error is about. */
const aboutResource = /_(?:NOT_FOUND|ALREADY_EXISTS|STATE_INVALID|IN_USE)$/

/**
 * The reasons whose errors have none of the details of their family: `ROUTE_NOT_FOUND` is about a path, which is no
 * resource.
 */
const withoutDetails: ReadonlySet<string> = new Set(['ROUTE_NOT_FOUND'])

/**
 * Returns the details that every error with a reason must have, by the family of the reason: alternatives, each a list
 * of members that an error must have together. Returns an empty list if no detail is required.
 */
export function requiredDetails({ reason, rpc }: Pick<ErrorReason, 'reason' | 'rpc'>): readonly DetailMember[][] {
  if (withoutDetails.has(reason)) return []
  const shared: DetailMember[] = aboutResource.test(reason) || rpc === 'ALREADY_EXISTS' ? ['resource'] : []
  if (rpc === 'INVALID_ARGUMENT') return [['badRequest', ...shared]]
  if (rpc === 'FAILED_PRECONDITION') return [['precondition', ...shared]]
  if (rpc === 'UNAVAILABLE') return [[...shared, 'retryAfterSeconds']]
  if (rpc === 'RESOURCE_EXHAUSTED')
    return [
      ['quota', ...shared],
      [...shared, 'retryAfterSeconds'],
    ]
  return shared.length > 0 ? [shared] : []
}

/**
 * Returns the type of the details of a reason's constructor; `generic` is the name of the runtime's `DetailsWith`.
 * Returns '' if no detail is required.
 */
export const detailsType = (error: ErrorReason, generic: () => string): string =>
  requiredDetails(error)
    .map(members => `${generic()}<${members.map(member => quote(member)).join(' | ')}>`)
    .join(' | ')
