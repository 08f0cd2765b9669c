import type {
  GetQuotaRequest,
  ListQuotasRequest,
  Quota,
  TaxonomyOperation,
  UpdateQuotaRequest,
} from '../../../output/taxonomy/types.ts'
import type { CallContext, ListContext } from '../../../runtime/context.ts'
import type { Answer } from '../../../runtime/json.ts'
import type { Page } from '../../../runtime/pagination.ts'
import { defineKind } from '../../resources/kind.ts'
import { Resources } from '../../resources/resources.ts'
import { limitBelowUsage, quotaNotFound } from '../../../output/taxonomy/errors.ts'
import type { TaxonomyArea } from '../../../output/taxonomy/area.ts'
import type { QuotaHandlers } from '../../../output/taxonomy/handlers.ts'
import { quotaFields } from '../../../output/taxonomy/validators.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { isRecord } from '../../../runtime/validation.ts'
import type { Parts } from '../../ports/area-parts.ts'
import type { Reader, Stored, Transaction } from '../../ports/store.ts'
import { nextEtag } from '../../resources/etag.ts'
import { organisations } from '../tree/nodes.ts'
import { overrideAt } from './quota-overrides-store.ts'
import { builtInQuotas, fixedMembers } from './quotas-built-in.ts'
import { quotas } from './quotas-store.ts'
import { subtreeUsage } from './usage.ts'
import type { Warning } from '../../ports/warning.ts'

/** The kind of quotas; callers neither create nor delete quotas. */
export const quotaKind = defineKind({
  type: 'taxonomy.quotas',
  noun: 'quota',
  collection: quotas,
  fields: quotaFields,
  notFound: quotaNotFound,
})

/**
 * Serves quotas: caps on the sum of a subtree. Quotas are built in, and only their default limits change (taxonomy.md
 * §1).
 */
export class SubtreeQuotas implements QuotaHandlers {
  readonly #resources: Resources<Quota, TaxonomyArea>

  constructor(parts: Parts<TaxonomyArea>) {
    this.#resources = new Resources(quotaKind, parts)
  }

  async listQuotas(request: ListQuotasRequest, context: ListContext): Promise<Page<Quota>> {
    return this.#resources.list(request, context)
  }

  async getQuota(request: GetQuotaRequest): Promise<Answer<Quota>> {
    return this.#resources.get(request)
  }

  async updateQuota(request: UpdateQuotaRequest, context: CallContext): Promise<Answer<TaxonomyOperation>> {
    return this.#resources.update(request, context, {
      count: async (tx, { value }) => ({ warnings: await usageWarnings(tx, value) }),
    })
  }
}

/** Creates the missing quotas, and restores the fixed members of the existing quotas. Damaged documents stay. */
export async function createBuiltInQuotas(tx: Transaction, now: number): Promise<void> {
  const update_time = formatMillis(now)
  for (const quota of builtInQuotas) {
    const stored = await tx.get(quotas, quota.id)
    if (stored === undefined) {
      await tx.insert(quotas, { ...quota, etag: nextEtag(undefined), update_time })
      continue
    }
    const kept = readable(stored)
    if (kept === undefined || fixedMembers.every(name => kept[name] === quota[name])) continue
    const { default_limit, etag } = kept
    const next = { ...quota, default_limit, etag: nextEtag(etag), update_time }
    await tx.update(quotas, quota.id, next, stored.version)
  }
}

/**
 * Returns a quota, or undefined for a damaged document. A damaged document must neither prevent the start of the server
 * nor be overwritten, because its limit would be lost.
 */
function readable(stored: Stored<Quota>): Quota | undefined {
  try {
    return isRecord(stored.value) ? stored.value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/**
 * Returns the warning that a limit is below the usage of a scope. Existing resources stay, but the usage cannot grow.
 */
export const belowUsage = (what: string, usage: number, limit: number): Warning => ({
  code: limitBelowUsage.code,
  description: `${what} uses ${usage}, more than the new limit of ${limit}; nothing is evicted, growth stops`,
})

/**
 * Returns a warning about the first organisation without an override whose usage exceeds the new default limit; an
 * empty list if there is no such organisation.
 */
async function usageWarnings(reader: Reader, quota: Quota): Promise<readonly Warning[]> {
  if (quota.default_limit < 0) return []
  for await (const { id, value } of reader.each(organisations)) {
    const scope = { type: 'ORGANISATION', id } as const
    const usage = await subtreeUsage(reader, quota.id, scope)
    if (usage > quota.default_limit && !(await overrideAt(reader, quota.id, scope))) {
      return [belowUsage(`organisation ${value.name}`, usage, quota.default_limit)]
    }
  }
  return []
}
