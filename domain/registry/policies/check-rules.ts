import { expireTimeInPast, principalNotFound, publicRuleInvalid } from '../../../output/registry/errors.ts'
import type { AccessRule, AccessRuleInput } from '../../../output/registry/types.ts'
import { absentAt, faultAt } from '../../../runtime/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Transaction } from '../../ports/store.ts'
import { requireNative } from '../engines/distribution-engines.ts'
import type { RegistryEnvironment } from '../environment.ts'

type Sent = readonly Pick<AccessRuleInput, 'actions' | 'principals' | 'tag_patterns'>[]

const [everybody, signedIn] = ['ALL_USERS', 'ALL_AUTHENTICATED'] as const

/**
 * Checks the rules of a policy of an engine by their form. Throws PUBLIC_RULE_INVALID, and ENGINE_CAPABILITY_UNSUPPORTED
 * for a rule for some tags on an engine that is not native: a cluster decides by the token alone, which is asked for
 * before the tag is known.
 */
export function requireRuleForm(engine: string, rules: Sent, isOfRepository: boolean): void {
  if (rules.some(({ tag_patterns = [] }) => tag_patterns.length > 0))
    requireNative(engine, 'TAG_PATTERNS', 'tag_patterns can be set')
  requirePublicRules(rules, isOfRepository)
}

/** Throws PUBLIC_RULE_INVALID for `ALL_USERS` with another action than PULL, or in a policy of a workspace. */
function requirePublicRules(rules: Sent, isOfRepository: boolean): void {
  for (const [i, { actions, principals }] of rules.entries()) {
    if (!principals.includes(everybody)) continue
    const field = `rules[${i}].principals`
    if (!isOfRepository)
      throw faultAt(publicRuleInvalid, field, `${everybody} can be given only in a policy of a repository`)
    if (actions.some(action => action !== 'REGISTRY_ACTION_PULL'))
      throw faultAt(
        publicRuleInvalid,
        field,
        `${everybody} can be given only with the sole action REGISTRY_ACTION_PULL`,
      )
  }
}

/** Throws EXPIRE_TIME_IN_PAST for a rule that has ended at a time in milliseconds since 1970. */
export function requireLaterEnds(rules: readonly AccessRule[], now: number): void {
  for (const [i, { expire_time }] of rules.entries()) requireLater(expire_time, `rules[${i}].expire_time`, now)
}

/** Throws EXPIRE_TIME_IN_PAST at a field unless its time is absent or after `now`, in milliseconds since 1970. */
export function requireLater(expireTime: string | undefined, field: string, now: number): void {
  if (expireTime === undefined || Date.parse(expireTime) > now) return
  throw faultAt(expireTimeInPast, field, `must be after ${formatMillis(now)}`)
}

/** Throws PRINCIPAL_NOT_FOUND for a rule that names a principal that does not exist. */
export async function requirePrincipals(
  { functions: { iam } }: Pick<RegistryEnvironment, 'functions'>,
  tx: Transaction,
  rules: readonly AccessRule[],
): Promise<void> {
  // Without an area of iam, the principals are not known.
  if (!iam) return
  const known = new Set<string>([everybody, signedIn])
  for (const [i, { principals }] of rules.entries())
    for (const [j, id] of principals.entries()) {
      if (known.has(id)) continue
      if (!(await iam.findPrincipal(tx, id))) throw absentPrincipal(id, `rules[${i}].principals[${j}]`)
      known.add(id)
    }
}

const absentPrincipal = (id: string, field: string) =>
  absentAt(principalNotFound, field, `no principal has the id ${id}`, { type: 'iam.principals', name: id })
