import type { ObservabilityArea } from '../../../output/observability/area.ts'
import type { IngestionConfigHandlers } from '../../../output/observability/handlers.ts'
import type {
  IngestionConfig,
  IngestionConfigUpdate,
  ListIngestionConfigsRequest,
  ParsedCreateIngestionConfigRequest,
  UpdateIngestionConfigRequest,
} from '../../../output/observability/types.ts'
import { ingestionConfigFields } from '../../../output/observability/validators.ts'
import type { CallContext, ListContext } from '../../../runtime/context.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { applyUpdate } from '../../../runtime/field-mask.ts'
import type { Page } from '../../../runtime/pagination.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import { requirePlace } from '../../resources/find-rows.ts'
import { Resources } from '../../resources/resources.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { consumeLimit } from '../quotas/limits.ts'
import { secretOf } from '../ingestion-configs/authorization-secret.ts'
import { referToConfigSecret, secretAccess } from './secret-use.ts'
import { requireHashes, requireStrongKeys, storedKeys } from '../ingestion-configs/ingest-keys.ts'
import { ingestionConfigAnswer } from './ingestion-config-answer.ts'
import { configFaults } from '../ingestion-configs/ingestion-config-form.ts'
import { ingestionConfigKind } from '../ingestion-configs/ingestion-config-kind.ts'
import {
  ingestionConfigCollection,
  ingestionKinds,
  type StoredIngestionConfig,
} from '../ingestion-configs/ingestion-configs-store.ts'
import { requireServed } from './require-served.ts'
import { requireTargets } from './scrape-targets.ts'

type Configs = Resources<StoredIngestionConfig, ObservabilityArea>

/** Returns the handlers of ingestion configs. */
export function ingestionConfigs(environment: ObservabilityEnvironment): IngestionConfigHandlers {
  const { store } = environment
  const resources: Configs = new Resources(ingestionConfigKind, environment)
  return {
    listIngestionConfigs: (request, context) => listConfigs(environment, request, context),
    async getIngestionConfig(request) {
      const { value } = await resources.read(request)
      const status = await environment.statuses.of(store, value.id)
      return ingestionConfigAnswer(value, status, environment.ingestBaseUrl())
    },
    createIngestionConfig: (request, context) => createConfig(environment, resources, request, context),
    updateIngestionConfig: (request, context) => updateConfig(environment, resources, request, context),
  }
}

async function listConfigs(
  { ingestBaseUrl, statuses, store, taxonomy }: ObservabilityEnvironment,
  { engine, workspace }: ListIngestionConfigsRequest,
  { query }: ListContext,
): Promise<Page<IngestionConfig>> {
  const page = await store.page(ingestionConfigCollection, query, { workspace_id: workspace, engine })
  if (page.items.length === 0) await requirePlace(store, taxonomy, ingestionConfigKind, { workspace, engine })
  const items = page.items.map(async ({ value }) =>
    ingestionConfigAnswer(value, await statuses.of(store, value.id), ingestBaseUrl()),
  )
  return { ...page, items: await Promise.all(items) }
}

async function createConfig(
  environment: ObservabilityEnvironment,
  resources: Configs,
  request: ParsedCreateIngestionConfigRequest,
  context: CallContext,
) {
  const { body, engine, workspace } = request
  requireServed(environment.stacks, engine, body)
  if (secretOf(body) !== undefined) (await secretAccess(environment, context, workspace))()
  requireStrongKeys(body.ingest_keys)
  await requireTargets(environment.outbound, body.prometheus_scrape?.targets)
  const row = newConfig(resources, request, context)
  return resources.create(request, context, row, {
    refer: tx => referToConfigSecret(environment, tx, row),
    count: tx => consumeLimit(tx, environment.limits, 'ingestionConfigs', { workspace, now: context.now }),
  })
}

function newConfig(
  resources: Configs,
  request: ParsedCreateIngestionConfigRequest,
  context: CallContext,
): StoredIngestionConfig {
  const { etag: _precondition, ingest_keys, ...settable } = request.body
  return {
    ...resources.standard(request, context),
    ...settable,
    ingest_keys: storedKeys(ingest_keys),
    // The form has found exactly one kind.
    kind: ingestionKinds.find(kind => request.body[kind] !== undefined) ?? 'otlp',
  }
}

async function updateConfig(
  environment: ObservabilityEnvironment,
  resources: Configs,
  request: UpdateIngestionConfigRequest,
  context: CallContext,
) {
  const { body, engine, update_mask, workspace } = request
  requireServed(environment.stacks, engine, body)
  const requireAccess = await secretAccess(environment, context, workspace)
  if (secretOf(body) !== undefined) requireAccess()
  requireStrongKeys(body.ingest_keys)
  await requireTargets(environment.outbound, body.prometheus_scrape?.targets)
  const { ingest_keys: keys, ...settable } = withTargetLabels(body)
  const absent = (before: StoredIngestionConfig) => ({
    ...keptKind(before),
    ...(keys && { ingest_keys: storedKeys(keys, before.ingest_keys) }),
  })
  return resources.update({ ...request, body: settable }, context, {
    absent,
    found(before) {
      if (secretOf(before) !== undefined && leavesSecret(before, { ...absent(before), ...settable }, update_mask))
        requireAccess()
    },
    async refer(tx, { value }, before) {
      requireSound(value)
      await referToConfigSecret(environment, tx, value, before)
    },
  })
}

/** Returns the kind of a config without members: the kind never changes, so an update may leave it out. */
const keptKind = ({ kind }: StoredIngestionConfig) => ({ [kind]: {} })

/** Returns a body whose targets have labels, as stored targets do, so that the same targets are no change. */
function withTargetLabels(body: IngestionConfigUpdate): IngestionConfigUpdate {
  const { prometheus_scrape: scrape } = body
  if (!scrape?.targets) return body
  const targets = scrape.targets.map(target => ({ labels: {}, ...target }))
  return { ...body, prometheus_scrape: { ...scrape, targets } }
}

/** Returns whether an update leaves a secret in a config; false for an update that fails. */
function leavesSecret(before: StoredIngestionConfig, body: object, mask: string | undefined): boolean {
  try {
    return secretOf(applyUpdate(ingestionConfigFields, before, body, mask).value) !== undefined
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

/** Throws FIELD_INVALID for a config that an update has left unsound. */
function requireSound(config: StoredIngestionConfig): void {
  const faults = [...configFaults(config)]
  if (faults.length > 0) throw fieldInvalid(faults)
  requireHashes(config.ingest_keys)
}
