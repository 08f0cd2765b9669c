import { defineKind } from '../../resources/kind.ts'
import { requirePlace } from '../../resources/find-rows.ts'
import { Resources } from '../../resources/resources.ts'
import {
  overrideAboveAncestor,
  quotaOverrideNotFound,
  quotaOverrideScopeInvalid,
} from '../../../output/taxonomy/errors.ts'
import type { TaxonomyArea } from '../../../output/taxonomy/area.ts'
import type { QuotaOverrideHandlers } from '../../../output/taxonomy/handlers.ts'
import type { QuotaOverride } from '../../../output/taxonomy/types.ts'
import { quotaOverrideFields } from '../../../output/taxonomy/validators.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { seenBy } from '../../ports/access.ts'
import type { Parts } from '../../ports/area-parts.ts'
import type { Reader, Transaction } from '../../ports/store.ts'
import { nextEtag } from '../../resources/etag.ts'
import { limitsOn } from './limits.ts'
import { locate } from '../tree/locate.ts'
import { trees } from '../tree/nodes.ts'
import { quotaOverrides, type StoredOverride } from './quota-overrides-store.ts'
import { belowUsage, quotaKind } from './quotas.ts'
import { fromWireScope } from '../tree/scopes.ts'
import { countsNodes, subtreeUsage } from './usage.ts'
import type { Scope } from '../../ports/scope.ts'
import type { Warning } from '../../ports/warning.ts'

/** The kind of overrides. An override limits one quota at one node, and its operations belong to this node. */
export const quotaOverrideKind = defineKind({
  type: 'taxonomy.quotaOverrides',
  noun: 'override',
  collection: quotaOverrides,
  fields: quotaOverrideFields,
  notFound: quotaOverrideNotFound,
  parent: { member: 'quota_id', parameter: 'quota', kind: quotaKind, hold: 'lock' },
  scopeOf: fromWireScope,
})

/** Returns the handlers of overrides, the limits at single nodes of the tree (taxonomy.md §1). */
export function quotaOverrideHandlers(parts: Parts<TaxonomyArea>): QuotaOverrideHandlers {
  const { access, clock, store } = parts
  const resources = new Resources<StoredOverride, TaxonomyArea>(quotaOverrideKind, parts)
  return {
    async listQuotaOverrides({ quota }, context) {
      await requirePlace(store, parts.taxonomy, quotaOverrideKind, {}, quota)
      const seen = seenBy(await access.visible(context, 'taxonomy.quotaOverrides.list'), 'scope_id')
      const page = await store.page(quotaOverrides, context.query, { quota_id: quota, ...seen })
      const items = await Promise.all(page.items.map(({ value }) => withUsage(store, value)))
      return { ...page, items }
    },
    getQuotaOverride: async request => withUsage(store, (await resources.read(request)).value),
    async createQuotaOverride(request, context) {
      const { description, limit, scope_id, scope_type } = request.body
      const [id, time] = [clock.newId(), formatMillis(context.now)]
      const times = { etag: nextEtag(undefined), create_time: time, update_time: time }
      const override = { id, quota_id: request.quota, description, scope_type, scope_id, limit, ...times }
      let scopes: readonly Scope[] = []
      return resources.create(request, context, override, {
        refer: async tx => void (scopes = await requireScope(tx, request.quota, override)),
        count: async tx => ({ warnings: await warningsOf(tx, request.quota, scopes, limit) }),
      })
    },
    updateQuotaOverride: (request, context) =>
      resources.update(request, context, {
        async count(tx, { value }) {
          const scopes = (await locate(tx, fromWireScope(value)))?.scopes ?? []
          return { warnings: await warningsOf(tx, request.quota, scopes, value.limit) }
        },
      }),
    deleteQuotaOverride: (request, context) => resources.delete(request, context),
  }
}

async function withUsage(reader: Reader, override: StoredOverride): Promise<QuotaOverride> {
  return { ...override, usage: await subtreeUsage(reader, override.quota_id, fromWireScope(override)) }
}

/**
 * Returns the scopes from the organisation to the scope of an override. Throws unless the scope is a node that the
 * quota can limit. The tree is shared, so that the node is not deleted before its override exists.
 */
async function requireScope(tx: Transaction, quota: string, override: StoredOverride): Promise<readonly Scope[]> {
  const scope = fromWireScope(override)
  if (scope.type === 'PLATFORM') throw scopeInvalid('scope_type', 'must be an organisation, group or workspace')
  if (scope.type === 'WORKSPACE' && countsNodes(quota)) {
    throw scopeInvalid('scope_type', `must not be a workspace: ${quota} counts nodes, which a workspace cannot contain`)
  }
  const found = await locate(tx, scope)
  if (found) await tx.share(trees, found.organisation.id)
  const located = found && (await locate(tx, scope))
  if (located) return located.scopes
  throw scopeInvalid('scope_id', `must be the id of a node; there is no such ${override.scope_type}`)
}

const scopeInvalid = (field: string, description: string): Error =>
  quotaOverrideScopeInvalid(`${field} ${description}`, { badRequest: [{ field, description }] })

/** Returns the warnings about a limit: a smaller limit of an ancestor decides, or the limit is below the usage. */
async function warningsOf(
  reader: Reader,
  quota: string,
  scopes: readonly Scope[],
  limit: number,
): Promise<readonly Warning[]> {
  const warnings: Warning[] = []
  const own = scopes.at(-1)
  const above = (await limitsOn(reader, quota, scopes.slice(0, -1))).map(each => each.limit).filter(each => each >= 0)
  const ancestor = Math.min(...above)
  if (above.length > 0 && isAbove(limit, ancestor)) {
    const given = limit < 0 ? 'unlimited' : String(limit)
    const description = `the limit ${ancestor} of an ancestor is smaller than the requested limit ${given}, and decides`
    warnings.push({ code: overrideAboveAncestor.code, description })
  }
  const usage = own && limit >= 0 ? await subtreeUsage(reader, quota, own) : 0
  if (limit >= 0 && usage > limit) warnings.push(belowUsage('the scope', usage, limit))
  return warnings
}

/** Returns whether a limit is greater than another limit; -1 means unlimited and is greater than every other limit. */
const isAbove = (limit: number, other: number): boolean => limit < 0 || limit > other
