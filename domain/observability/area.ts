import { observabilityFilters } from '../../output/observability/filters.ts'
import type { ObservabilityHandlers } from '../../output/observability/handlers.ts'
import type { FormRules } from '../../runtime/form-rules.ts'
import type { Inspect } from '../ports/inspection.ts'
import { FilterSchemaRecords } from '../resources/filter-schemas.ts'
import { OperationRecords } from '../resources/operation-records.ts'
import { rowScope } from '../resources/look-up.ts'
import { activities, activityScope } from './activities/activities.ts'
import { activityCollection, chainCollection } from './activities/activities-store.ts'
import { activityRetention } from './activities/activity-retention.ts'
import { inspectChains } from './activities/inspect-chains.ts'
import { sequencer } from './activities/sequencer.ts'
import { alertRuleForm } from './alert-rules/alert-rule-form.ts'
import { alertRuleKind } from './alert-rules/alert-rule-kind.ts'
import { alertRules } from './alert-rules/alert-rules.ts'
import { inspectAlerts } from './alert-rules/inspect-alerts.ts'
import { evaluator } from './alert-work/evaluator.ts'
import { notifier } from './alert-work/notifier.ts'
import { alertPageCollection, evaluationCollection } from './alerts/alerts-store.ts'
import type { ObservabilityEnvironment } from './environment.ts'
import { ingestionConfigs } from './ingestion-config-calls/ingestion-configs.ts'
import { ingestionConfigUpdateForm, newIngestionConfigForm } from './ingestion-configs/ingestion-config-form.ts'
import { ingestionConfigKind } from './ingestion-configs/ingestion-config-kind.ts'
import { inspectConfigs } from './ingestion-configs/inspect-configs.ts'
import { ingestionStatusCollection } from './ingestion-configs/ingestion-status-store.ts'
import { logs } from './log-calls/log-calls.ts'
import { logQueryForm, logTailForm } from './log-calls/log-forms.ts'
import { inspectWorkspaces } from './inspect-workspaces.ts'
import { metrics } from './metric-calls/metric-calls.ts'
import { queryForm, rangeQueryForm } from './metric-calls/query-form.ts'
import {
  deliveryCollection,
  notificationCollection,
  receiverSecretCollection,
} from './notifications/deliveries-store.ts'
import { nativeWorker } from './quotas/native-worker.ts'
import { inspectLimits } from './quotas/inspect-limits.ts'
import { quotaLimitKind } from './quotas/limits-store.ts'
import { quotaDefinitions, quotaLimits } from './quotas/quota-calls.ts'
import { usageCollection } from './quotas/telemetry-usage.ts'
import { droppedCollection } from './retention/dropped-telemetry.ts'
import { inspectRetention } from './retention/inspect-retention.ts'
import { purgeWorker } from './retention/purge-worker.ts'
import { retentionForm } from './retention-calls/retention-form.ts'
import { retentionPolicies } from './retention-calls/retention-policies.ts'
import { retentionPolicyKind } from './retention/retention-store.ts'
import { inspectSilences } from './silences/inspect-silences.ts'
import { scraping } from './scraping/scraping.ts'
import { silenceForm } from './silence-calls/silence-form.ts'
import { silenceRetention } from './silences/silence-retention.ts'
import { silenceKind } from './silences/silences-store.ts'
import { silences } from './silence-calls/silences.ts'
import { logSinks } from './sink-calls/log-sinks.ts'
import { logSinkForm } from './sink-calls/sink-form.ts'
import { sinkExporter } from './sink-work/exporter.ts'
import { inspectSinks } from './sinks/inspect-sinks.ts'
import { logSinkKind } from './sinks/log-sink-kind.ts'
import { sinkExportCollection, sinkSecretCollection } from './sinks/sink-exports-store.ts'
import { traceSearchForm } from './trace-calls/search-form.ts'
import { traces } from './trace-calls/trace-calls.ts'

/** Compares what the area derives with the rows from which it follows. */
const inspect: Inspect = async function* (inspection) {
  const { reader } = inspection
  yield* inspectChains(reader)
  yield* inspectConfigs(reader)
  yield* inspectLimits(reader)
  yield* inspectWorkspaces(inspection)
  yield* inspectRetention(reader)
  yield* inspectSilences(reader)
  yield* inspectAlerts(reader)
  yield* inspectSinks(reader)
}

/** Returns the handlers of the area. */
const handlers = (environment: ObservabilityEnvironment): ObservabilityHandlers => ({
  activities: activities(environment),
  alertRules: alertRules(environment),
  ingestionConfigs: ingestionConfigs(environment),
  logSinks: logSinks(environment),
  logs: logs(environment),
  metrics: metrics(environment),
  quotaDefinitions: quotaDefinitions(),
  quotaLimits: quotaLimits(environment),
  retentionPolicies: retentionPolicies(environment),
  silences: silences(environment),
  traces: traces(environment),
  operations: new OperationRecords(environment),
  filterSchemas: new FilterSchemaRecords(observabilityFilters),
})

/** The rules for bodies beyond their schemas. */
const forms: FormRules = {
  createAlertRule: alertRuleForm,
  updateAlertRule: alertRuleForm,
  createIngestionConfig: newIngestionConfigForm,
  updateIngestionConfig: ingestionConfigUpdateForm,
  createLogSink: logSinkForm,
  updateLogSink: logSinkForm,
  createRetentionPolicy: retentionForm,
  updateRetentionPolicy: retentionForm,
  createSilence: silenceForm,
  queryMetrics: queryForm,
  queryMetricsRange: rangeQueryForm,
  searchTraces: traceSearchForm,
  queryLogs: logQueryForm,
  tailLogs: logTailForm,
}

/** The parts of observability that need no setting. */
export const observability = {
  handlers,
  kinds: [alertRuleKind, ingestionConfigKind, logSinkKind, quotaLimitKind, retentionPolicyKind, silenceKind],
  needs: { optional: ['iam', 'storage', 'vault'] },
  collections: [
    activityCollection,
    chainCollection,
    evaluationCollection,
    alertPageCollection,
    deliveryCollection,
    notificationCollection,
    receiverSecretCollection,
    ingestionStatusCollection,
    droppedCollection,
    usageCollection,
    sinkExportCollection,
    sinkSecretCollection,
  ],
  forms,
  scopes: { getActivity: activityScope, getQuotaLimit: rowScope(quotaLimitKind) },
  workers: (environment: ObservabilityEnvironment) => [
    nativeWorker(environment),
    sequencer(environment),
    activityRetention(environment),
    silenceRetention(environment),
    purgeWorker(environment),
    evaluator(environment),
    notifier(environment),
    scraping(environment),
    sinkExporter(environment),
  ],
  inspect,
} as const
