import { quotaDefinitionNotFound } from '../../../output/observability/errors.ts'
import type { QuotaLimitHandlers } from '../../../output/observability/handlers.ts'
import type { QuotaLimit } from '../../../output/observability/types.ts'
import { seenBy } from '../../ports/access.ts'
import { QuotaDefinitions } from '../../resources/quotas/definition-handlers.ts'
import { Rows } from '../../resources/rows.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { quotas } from './definitions.ts'
import { quotaLimitKind, type StoredLimit } from './limits-store.ts'
import { usageOf } from './usage.ts'

const scopeTypes = {
  WORKSPACE: 'OBSERVABILITY_SCOPE_TYPE_WORKSPACE',
  ORGANISATION: 'OBSERVABILITY_SCOPE_TYPE_ORGANISATION',
} as const

/** Returns the handlers of quota definitions, which are built in. */
export const quotaDefinitions = () =>
  new QuotaDefinitions(quotas, scopeTypes, { definitionNotFound: quotaDefinitionNotFound })

/** Returns the handlers of quota limits, which are read only. */
export function quotaLimits(environment: ObservabilityEnvironment): QuotaLimitHandlers {
  const { access, store } = environment
  const rows = new Rows(quotaLimitKind, environment)
  return {
    async listQuotaLimits(_request, context) {
      const seen = await access.visible(context, context.operation?.permission ?? '')
      const page = await store.page(quotaLimitKind.collection, context.query, seenBy(seen, 'scope_id'))
      const items = await Promise.all(page.items.map(({ value }) => answer(environment, value, context.now)))
      return { ...page, items }
    },
    getQuotaLimit: async ({ id }, { now }) => answer(environment, (await rows.read({ id })).value, now),
  }
}

/** Returns a limit with its present usage. */
async function answer(
  environment: ObservabilityEnvironment,
  { source: _source, ...limit }: StoredLimit,
  now: number,
): Promise<QuotaLimit> {
  const name = quotas.find(limit.quota_definition_id)?.name
  return { ...limit, usage: name === undefined ? 0 : await usageOf(environment, name, limit.scope_id, now) }
}
