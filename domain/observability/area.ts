import type { ObservabilityHandlers } from '../../output/observability/handlers.ts'
import type { Inspect } from '../ports/inspection.ts'
import { rowScope } from '../resources/look-up.ts'
import { activities, activityScope } from './activities/activities.ts'
import { activityCollection, chainCollection } from './activities/activities-store.ts'
import { activityRetention } from './activities/activity-retention.ts'
import { inspectChains } from './activities/inspect-chains.ts'
import { sequencer } from './activities/sequencer.ts'
import type { ObservabilityEnvironment } from './environment.ts'
import { ingestionConfigs } from './ingestion-config-calls/ingestion-configs.ts'
import { ingestionConfigUpdateForm, newIngestionConfigForm } from './ingestion-configs/ingestion-config-form.ts'
import { ingestionConfigKind } from './ingestion-configs/ingestion-config-kind.ts'
import { ingestionStatusCollection } from './ingestion-configs/ingestion-status-store.ts'
import { inspectLimits } from './quotas/inspect-limits.ts'
import { quotaLimitKind } from './quotas/limits-store.ts'
import { quotaDefinitions, quotaLimits } from './quotas/quota-calls.ts'

/** Compares what the area derives with the rows from which it follows. */
const inspect: Inspect = async function* ({ reader }) {
  yield* inspectChains(reader)
  yield* inspectLimits(reader)
}

/** The built resources, as functions that make their handlers. */
const built = { activities, ingestionConfigs, quotaDefinitions, quotaLimits } satisfies {
  readonly [Name in keyof ObservabilityHandlers]?: (
    environment: ObservabilityEnvironment,
  ) => ObservabilityHandlers[Name]
}

/** The parts of observability that need no setting. */
export const observability = {
  built,
  needs: { optional: ['vault'] },
  kinds: [ingestionConfigKind, quotaLimitKind],
  collections: [activityCollection, chainCollection, ingestionStatusCollection],
  forms: () => ({
    createIngestionConfig: newIngestionConfigForm,
    updateIngestionConfig: ingestionConfigUpdateForm,
  }),
  scopes: { getActivity: activityScope, getQuotaLimit: rowScope(quotaLimitKind) },
  workers: (environment: ObservabilityEnvironment) => [sequencer(environment), activityRetention(environment)],
  inspect,
} as const
