import { alertRuleAlreadyExists } from '../../../output/observability/errors.ts'
import { alertRulesList } from '../../../output/observability/filters.ts'
import type { AlertRule } from '../../../output/observability/types.ts'
import type { Collection } from '../../ports/store.ts'

/** The members of an alert rule that other rows keep, because each evaluation changes them. */
export type EvaluatedMember =
  'last_error' | 'alerts' | 'alert_count' | 'last_evaluation_time' | 'evaluation_duration' | 'deliveries'

/** The row of an alert rule, with its state and health, which lists filter by. Secrets of webhooks are in rows of their own. */
export type StoredAlertRule = Omit<AlertRule, EvaluatedMember>

/** The alert rules of all workspaces and engines. */
export const alertRuleCollection: Collection<StoredAlertRule> = {
  name: 'observability_alert_rules',
  id: 'id',
  list: alertRulesList,
  listedBelow: 'workspace_id',
  columns: { workspace_id: 'STRING', engine: 'STRING' },
  uniques: [
    {
      fields: ['workspace_id', 'engine', 'name'],
      taken: ({ name }) =>
        alertRuleAlreadyExists(`an alert rule named ${name} exists in the workspace`, {
          resource: { type: 'observability.alertRules', name },
        }),
    },
  ],
  indexedMaps: ['labels'],
}
