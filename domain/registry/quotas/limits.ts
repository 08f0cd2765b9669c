import type { RegistryArea } from '../../../output/registry/area.ts'
import type { QuotaLimitHandlers } from '../../../output/registry/handlers.ts'
import type {
  DeleteQuotaLimitRequest,
  ListQuotaLimitsRequest,
  ParsedCreateQuotaLimitRequest,
  QuotaLimit,
  UpdateQuotaLimitRequest,
} from '../../../output/registry/types.ts'
import type { CallContext, ListContext } from '../../../runtime/context.ts'
import { atField } from '../../../runtime/errors.ts'
import type { Page } from '../../../runtime/pagination.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Reader, Transaction } from '../../ports/store.ts'
import { requirePlace } from '../../resources/find-rows.ts'
import { absentDefinition } from '../../resources/quotas/definition-handlers.ts'
import type { Definition } from '../../resources/quotas/definitions.ts'
import { LimitBuckets } from '../../resources/quotas/limit-buckets.ts'
import { Resources } from '../../resources/resources.ts'
import { standardMembers } from '../../resources/standard-members.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { lockRepositories } from '../repositories/lock-repository.ts'
import { limits, quotaLimitKind, scopeTypes, type StoredQuotaLimit } from './limit-kind.ts'
import { quotas } from './quotas.ts'
import { settleReadOnly, storageQuota } from './read-only.ts'

type Limits = Resources<StoredQuotaLimit, RegistryArea>

const buckets = new LimitBuckets(quotas, limits)

/** Returns the handlers of quota limits. Only callers with a permission at PLATFORM create, change and delete limits. */
export function quotaLimits(environment: RegistryEnvironment): QuotaLimitHandlers {
  const { store } = environment
  const resources: Limits = new Resources(quotaLimitKind, environment)
  return {
    listQuotaLimits: (request, context) => listQuotaLimits(environment, request, context),
    getQuotaLimit: async request => answer(store, (await resources.read(request)).value),
    async createQuotaLimit(request, context) {
      return createQuotaLimit(environment, resources, request, context)
    },
    updateQuotaLimit: (request, context) => updateQuotaLimit(resources, request, context),
    deleteQuotaLimit: (request, context) => deleteQuotaLimit(resources, request, context),
  }
}

async function listQuotaLimits(
  { store, taxonomy }: RegistryEnvironment,
  { workspace }: ListQuotaLimitsRequest,
  { query }: ListContext,
): Promise<Page<QuotaLimit>> {
  const page = await store.page(quotaLimitKind.collection, query, { workspace_id: workspace })
  if (page.items.length === 0) await requirePlace(store, taxonomy, quotaLimitKind, { workspace })
  return { ...page, items: await Promise.all(page.items.map(({ value }) => answer(store, value))) }
}

function createQuotaLimit(
  { clock }: RegistryEnvironment,
  resources: Limits,
  { body, ...path }: ParsedCreateQuotaLimitRequest,
  context: CallContext,
) {
  const { etag: _precondition, ...settable } = body
  const scope = { workspace_id: path.workspace, scope_type: scopeTypes.WORKSPACE, scope_id: path.workspace }
  const row: StoredQuotaLimit = { ...standardMembers(clock, context), ...settable, ...scope }
  return resources.create({ ...path, body }, context, row, {
    async refer(tx) {
      buckets.requireDimensions(definitionNamed(row.quota_definition_id), row.dimensions)
      await lockLimited(tx, row)
    },
    exclude: tx => buckets.take(tx, row),
    async count(tx) {
      await settle(tx, row, context)
      return { warnings: await buckets.warnings(tx, definitionNamed(row.quota_definition_id), row) }
    },
  })
}

const updateQuotaLimit = (resources: Limits, request: UpdateQuotaLimitRequest, context: CallContext) =>
  resources.update(request, context, {
    async refer(tx, { changed, value }) {
      if (!changed.includes('limit')) return {}
      await lockLimited(tx, value)
      await buckets.change(tx, value)
      await settle(tx, value, context)
      return { warnings: await buckets.warnings(tx, definitionNamed(value.quota_definition_id), value) }
    },
  })

const deleteQuotaLimit = (resources: Limits, request: DeleteQuotaLimitRequest, context: CallContext) =>
  resources.delete(request, context, {
    async release(tx, row) {
      await lockLimited(tx, row)
      await buckets.release(tx, row)
      await settle(tx, row, context)
    },
  })

/** Returns the definition that a body names. Throws QUOTA_DEFINITION_NOT_FOUND at its field. */
function definitionNamed(id: string): Definition {
  const found = quotas.find(id)
  if (found) return found
  throw atField(absentDefinition(quotas, limits.errors, id), 'quota_definition_id')
}

/**
 * Locks the repositories of a workspace whose limit of stored bytes changes, because a push locks its repository before the
 * bucket of the quota too.
 */
async function lockLimited(tx: Transaction, { quota_definition_id, workspace_id }: StoredQuotaLimit): Promise<void> {
  if (quota_definition_id === storageQuota) await lockRepositories(tx, workspace_id)
}

async function settle(tx: Transaction, { quota_definition_id, workspace_id }: StoredQuotaLimit, { now }: CallContext) {
  if (quota_definition_id === storageQuota) await settleReadOnly(tx, workspace_id, formatMillis(now))
}

async function answer(reader: Reader, row: StoredQuotaLimit): Promise<QuotaLimit> {
  const { workspace_id: _workspace, ...shown } = row
  return buckets.answer(reader, definitionNamed(row.quota_definition_id), shown)
}
