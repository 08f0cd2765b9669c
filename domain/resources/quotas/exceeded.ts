import { quotaExceeded } from '../../../output/shared/errors.ts'
import { ApiError, type ErrorDomain } from '../../../runtime/errors.ts'
import type { Dimensions, QuotaScope } from './definitions.ts'

/** A bucket without room for `n` more; `usage` is in use without them. */
export interface Excess {
  readonly scope: QuotaScope
  readonly dimensions: Dimensions
  readonly limit: number
  readonly usage: number
  readonly n: number
}

/** Returns QUOTA_EXCEEDED of an area for one of its quotas. */
export function exceeded(domain: ErrorDomain, quota: string, { dimensions, limit, n, scope, usage }: Excess): ApiError {
  const used = `${usage} of ${limit} are used, ${n} more ${n === 1 ? 'was' : 'were'} requested`
  const where = Object.entries(dimensions).map(([name, value]) => ` with ${name} ${value}`)
  const { code, details, message, metadata, reason, rpc } = quotaExceeded(
    `quota ${quota} is used up at ${scope.type} ${scope.id}${where.join('')}: ${used}`,
    {
      ...dimensions,
      quota,
      limit: String(limit),
      usage: String(usage),
      requested: String(n),
      scope_type: scope.type,
      scope_id: scope.id,
    },
    { quota: [{ subject: quota, description: used }] },
  )
  return new ApiError({ reason, rpc, code, domain }, message, metadata, details)
}
