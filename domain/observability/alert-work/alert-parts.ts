import type { ObservabilityEnvironment } from '../environment.ts'
import type { StoredAlertRule } from '../alerts/alert-rules-store.ts'
import type { NotificationGroup } from '../notifications/webhook-body.ts'

/** The parts that the work on alert rules uses. */
export type AlertParts = Pick<
  ObservabilityEnvironment,
  'alertCounts' | 'baseUrl' | 'clock' | 'failed' | 'lease' | 'logs' | 'metrics' | 'stacks' | 'store' | 'taxonomy'
>

/** Returns the members that all notifications of a rule have in common. */
export function groupOf(
  { baseUrl }: Pick<ObservabilityEnvironment, 'baseUrl'>,
  { engine, id, name, workspace_id }: Pick<StoredAlertRule, 'id' | 'name' | 'workspace_id' | 'engine'>,
): NotificationGroup {
  const externalUrl = baseUrl()
  const ruleUrl = `${externalUrl}/observability/v1/workspaces/${workspace_id}/engines/${engine}/alert-rules/${id}`
  return { rule: { id, name }, externalUrl, ruleUrl }
}
