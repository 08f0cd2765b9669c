import {
  overrideAboveAncestor,
  quotaOverrideNotFound,
  quotaOverrideScopeInvalid,
} from '../../output/taxonomy/errors.ts'
import type { QuotaOverrideHandlers } from '../../output/taxonomy/handlers.ts'
import type {
  CreateQuotaOverrideGiven,
  DeleteQuotaOverrideRequest,
  GetQuotaOverrideRequest,
  ListQuotaOverridesRequest,
  QuotaOverride,
  TaxonomyOperation,
  UpdateQuotaOverrideRequest,
} from '../../output/taxonomy/types.ts'
import { quotaOverrideFields } from '../../output/taxonomy/validators.ts'
import type { CallContext, ListContext } from '../../runtime/context.ts'
import { applyUpdate, checkEtag } from '../../runtime/field-mask.ts'
import type { Answer } from '../../runtime/json.ts'
import type { Page } from '../../runtime/pagination.ts'
import { formatMillis } from '../../runtime/timestamps.ts'
import { seenBy } from '../ports/access.ts'
import type { Effect, Scope, Warning } from '../ports/operations.ts'
import type { Parts } from '../ports/parts.ts'
import type { Reader, Stored, Transaction } from '../ports/store.ts'
import { nextEtag } from '../records/etag.ts'
import { limitsOn } from './limits.ts'
import { locate } from './locate.ts'
import { trees } from './nodes.ts'
import { quotaOverrides, type StoredOverride } from './quota-overrides-store.ts'
import { belowUsage, foundQuota } from './quotas.ts'
import { quotas } from './quotas-store.ts'
import { scopeOf } from './scopes.ts'
import { countsNodes, usageOf } from './usage.ts'

/** Limits of single nodes of the tree (taxonomy.md §1). */
export class QuotaOverrides implements QuotaOverrideHandlers {
  readonly #parts: Parts<TaxonomyOperation>

  constructor(parts: Parts<TaxonomyOperation>) {
    this.#parts = parts
  }

  async listQuotaOverrides({ quota }: ListQuotaOverridesRequest, context: ListContext): Promise<Page<QuotaOverride>> {
    const { access, store } = this.#parts
    foundQuota(await store.get(quotas, quota), quota)
    const seen = seenBy(await access.visible(context, 'taxonomy.quotaOverrides.list'), 'scope_id')
    const page = await store.page(quotaOverrides, context.query, { quota_id: quota, ...seen })
    const items = await Promise.all(page.items.map(({ value }) => withUsage(store, value)))
    return { ...page, items }
  }

  async getQuotaOverride({ id, quota }: GetQuotaOverrideRequest): Promise<Answer<QuotaOverride>> {
    const { store } = this.#parts
    foundQuota(await store.get(quotas, quota), quota)
    return withUsage(store, foundOverride(await store.get(quotaOverrides, id), quota, id).value)
  }

  async createQuotaOverride(
    request: CreateQuotaOverrideGiven,
    context: CallContext,
  ): Promise<Answer<TaxonomyOperation>> {
    const { clock, operations } = this.#parts
    const { description, limit, scope_id, scope_type } = request.body
    const time = formatMillis(context.now)
    const override: StoredOverride = {
      id: clock.newId(),
      quota_id: request.quota,
      description,
      scope_type,
      scope_id,
      limit,
      etag: nextEtag(undefined),
      create_time: time,
      update_time: time,
    }
    return operations.mutate(context, request, async tx => {
      const quota = foundQuota(await tx.lock(quotas, request.quota), request.quota)
      const scopes = await requireScope(tx, quota.id, override)
      await tx.insert(quotaOverrides, override)
      return effect('CREATE', override, await warningsOf(tx, quota.id, scopes, limit))
    })
  }

  async updateQuotaOverride(
    request: UpdateQuotaOverrideRequest,
    context: CallContext,
  ): Promise<Answer<TaxonomyOperation>> {
    const { body, id, quota: quotaId, update_mask } = request
    return this.#parts.operations.mutate(context, request, async tx => {
      const quota = foundQuota(await tx.lock(quotas, quotaId), quotaId)
      const stored = foundOverride(await tx.lock(quotaOverrides, id), quotaId, id)
      const { changed, value } = applyUpdate(quotaOverrideFields, stored.value, body, update_mask)
      checkEtag(body.etag, stored.value.etag)
      if (changed.length === 0) return effect('UPDATE', value, [])
      const next = { ...value, etag: nextEtag(stored.value.etag), update_time: formatMillis(context.now) }
      await tx.update(quotaOverrides, id, next, stored.version)
      const scopes = (await locate(tx, scopeOf(value)))?.scopes ?? []
      return { ...effect('UPDATE', value, await warningsOf(tx, quota.id, scopes, value.limit)), changed }
    })
  }

  async deleteQuotaOverride(
    request: DeleteQuotaOverrideRequest,
    context: CallContext,
  ): Promise<Answer<TaxonomyOperation>> {
    const { etag, id, quota } = request
    return this.#parts.operations.mutate(context, request, async tx => {
      foundQuota(await tx.lock(quotas, quota), quota)
      const stored = foundOverride(await tx.lock(quotaOverrides, id), quota, id)
      checkEtag(etag, stored.value.etag)
      await tx.delete(quotaOverrides, id, stored.version)
      return effect('DELETE', stored.value, [])
    })
  }
}

async function withUsage(reader: Reader, override: StoredOverride): Promise<QuotaOverride> {
  return { ...override, usage: await usageOf(reader, override.quota_id, scopeOf(override)) }
}

/** An override of another quota than the path names is an absent one (conventions §3). */
function foundOverride(stored: Stored<StoredOverride> | undefined, quota: string, id: string): Stored<StoredOverride> {
  if (stored?.value.quota_id === quota) return stored
  throw quotaOverrideNotFound(`quota ${quota} has no override ${id}`, {
    resource: { type: 'taxonomy.quotaOverrides', name: id },
  })
}

/**
 * The chain down to the scope of an override, which must be a node that the quota can cap. The tree is shared, so that
 * the node does not go before its override is there.
 */
async function requireScope(tx: Transaction, quota: string, override: StoredOverride): Promise<readonly Scope[]> {
  const scope = scopeOf(override)
  if (scope.type === 'PLATFORM') throw scopeInvalid('scope_type', 'must be an organisation, group or workspace')
  if (scope.type === 'WORKSPACE' && countsNodes(quota)) {
    throw scopeInvalid('scope_type', `must not be a workspace: ${quota} counts what a workspace cannot hold`)
  }
  const found = await locate(tx, scope)
  if (found) await tx.share(trees, found.organisation.id)
  const located = found && (await locate(tx, scope))
  if (located) return located.scopes
  throw scopeInvalid('scope_id', `must be the id of a node; there is no such ${override.scope_type}`)
}

const scopeInvalid = (field: string, description: string): Error =>
  quotaOverrideScopeInvalid(`${field} ${description}`, { badRequest: [{ field, description }] })

/** What an administrator should know of a limit: an ancestor's smaller one decides, or it is below the usage. */
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
    const description = `an ancestor's limit of ${ancestor} is smaller than the given one, ${given}, and decides`
    warnings.push({ code: overrideAboveAncestor.code, description })
  }
  const usage = own && limit >= 0 ? await usageOf(reader, quota, own) : 0
  if (limit >= 0 && usage > limit) warnings.push(belowUsage('the scope', usage, limit))
  return warnings
}

/** -1 is unlimited, so above every limit. */
const isAbove = (limit: number, other: number): boolean => limit < 0 || limit > other

const effect = (type: string, { id, ...override }: StoredOverride, warnings: readonly Warning[]): Effect => ({
  type,
  resourceType: 'taxonomy.quotaOverrides',
  resourceId: id,
  scope: scopeOf(override),
  warnings,
})
