import { quotaExceeded } from '../../../output/shared/errors.ts'
import type { Reader } from '../../ports/store.ts'
import { quotaOverrides, type StoredOverride } from './quota-overrides-store.ts'
import { quotas } from './quotas-store.ts'
import { fromWireScope } from '../tree/scopes.ts'
import { subtreeUsage } from './usage.ts'
import type { Scope } from '../../ports/scope.ts'

/** A limit of a quota at one node of a chain. */
export interface Limit {
  readonly scope: Scope
  /** The limit; -1 means unlimited. */
  readonly limit: number
  /** The id of the override; empty while the default limit of the quota applies. */
  readonly overrideId: string
}

/** The amount that a change takes of a quota. */
export interface Demand {
  readonly quota: string
  readonly amount: number
  /** Whether the usage already includes the amount, because the same transaction wrote it before the check. */
  readonly isCounted?: boolean
}

/** Returns the limits on a chain that begins at its organisation. The organisation always has a limit. */
export async function limitsOn(reader: Reader, quota: string, chain: readonly Scope[]): Promise<readonly Limit[]> {
  const found = new Map<string, StoredOverride>()
  const where = { quota_id: quota, scope_id: chain.map(({ id }) => id) }
  for await (const { value } of reader.each(quotaOverrides, where)) found.set(value.scope_id, value)
  const limits: Limit[] = []
  for (const scope of chain) {
    const override = found.get(scope.id)
    if (override) limits.push({ scope, limit: override.limit, overrideId: override.id })
    else if (scope.type === 'ORGANISATION') limits.push(await defaultLimit(reader, quota, scope))
  }
  return limits
}

async function defaultLimit(reader: Reader, quota: string, scope: Scope): Promise<Limit> {
  const stored = await reader.get(quotas, quota)
  if (stored === undefined) throw new Error(`there is no quota "${quota}"`)
  return { scope, limit: stored.value.default_limit, overrideId: '' }
}

/** Throws QUOTA_EXCEEDED for the first of these limits that has no room for the demand. */
export async function requireRoom(reader: Reader, limits: readonly Limit[], demand: Demand): Promise<void> {
  const { amount, isCounted = false, quota } = demand
  for (const { limit, scope } of limits) {
    if (limit < 0) continue
    const usage = (await subtreeUsage(reader, quota, scope)) - (isCounted ? amount : 0)
    if (usage + amount <= limit) continue
    const used = `${usage} of ${limit} are used, ${amount} more ${amount === 1 ? 'was' : 'were'} requested`
    throw quotaExceeded(
      `quota ${quota} is used up at ${scope.type} ${scope.id}: ${used}`,
      {
        quota,
        limit: String(limit),
        usage: String(usage),
        requested: String(amount),
        scope_type: scope.type,
        scope_id: scope.id,
      },
      { quota: [{ subject: quota, description: used }] },
    )
  }
}

/**
 * Returns the overrides at the given nodes, keyed by quota, in the order of the quotas' ids. The overrides of one quota
 * are in the order of the nodes.
 */
export async function limitsAt(
  reader: Reader,
  nodes: readonly Scope[],
): Promise<ReadonlyMap<string, readonly Limit[]>> {
  const found: StoredOverride[] = []
  for await (const { value } of reader.each(quotaOverrides, { scope_id: nodes.map(({ id }) => id) })) found.push(value)
  const place = new Map(nodes.map(({ id }, i) => [id, i]))
  found.sort((a, b) => order(a.quota_id, b.quota_id) || (place.get(a.scope_id) ?? 0) - (place.get(b.scope_id) ?? 0))
  const limits = found.map(override => ({ quota: override.quota_id, limit: limitOf(override) }))
  return new Map(
    [...Map.groupBy(limits, ({ quota }) => quota)].map(([quota, all]) => [quota, all.map(({ limit }) => limit)]),
  )
}

const limitOf = (override: StoredOverride): Limit => ({
  scope: fromWireScope(override),
  limit: override.limit,
  overrideId: override.id,
})

const order = (one: string, other: string): number => (one < other ? -1 : Number(one > other))
