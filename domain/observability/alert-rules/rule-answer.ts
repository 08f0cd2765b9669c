import type { Alert, AlertDelivery, AlertRule } from '../../../output/observability/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Reader } from '../../ports/store.ts'
import type { StoredAlertRule } from '../alerts/alert-rules-store.ts'
import {
  alertsPerPage,
  evaluationCollection,
  firstAlerts,
  type Evaluation,
  type TrackedAlert,
} from '../alerts/alerts-store.ts'
import { deliveryCollection, type Delivery } from '../notifications/deliveries-store.ts'
import { silencesOf, tooManyMatches } from '../silences/matched-alerts.ts'
import type { StoredSilence } from '../silences/silences-store.ts'

/** A rule as it is stored, with the rows beside it. */
export interface RuleRows {
  readonly rule: StoredAlertRule
  readonly evaluation: Evaluation | undefined
  /** The alerts that the answer shows. */
  readonly alerts: readonly TrackedAlert[]
  readonly deliveries: AlertDelivery[]
}

/** Reads the rows of a rule. */
export async function readRule(reader: Reader, rule: StoredAlertRule): Promise<RuleRows> {
  const { id } = rule
  const evaluation = (await reader.get(evaluationCollection, id))?.value
  const first = evaluation?.alert_count ? await firstAlerts(reader, id) : []
  const alerts = first.filter(({ state }) => state !== 'ENDED').slice(0, alertsPerPage)
  return { rule, evaluation, alerts, deliveries: await deliveriesOf(reader, rule) }
}

/**
 * Returns rules of a workspace as they are answered, with the silences that are active. Throws QUERY_LIMIT_EXCEEDED if
 * the comparison of silences with alerts takes too long.
 */
export async function ruleAnswers(rows: readonly RuleRows[], active: readonly StoredSilence[]): Promise<AlertRule[]> {
  const labels = rows.flatMap(({ alerts }) => alerts.map(alert => alert.labels))
  const { isWhole, silencedBy } = await silencesOf(active, labels)
  if (!isWhole) throw tooManyMatches()
  const ids = silencedBy.values()
  return rows.map(each => ruleAnswer(each, () => ids.next().value ?? []))
}

/** Returns a rule as it is answered; `nextIds` returns the silences of one alert after the other. */
function ruleAnswer({ alerts, deliveries, evaluation, rule }: RuleRows, nextIds: () => readonly string[]): AlertRule {
  const { alert_count = 0, evaluation_duration, last_error = '', last_evaluation_time } = evaluation ?? {}
  return {
    ...rule,
    last_error,
    alerts: alerts.map(alert => alertAnswer(alert, nextIds())),
    alert_count,
    ...(last_evaluation_time !== undefined && { last_evaluation_time }),
    ...(evaluation_duration !== undefined && { evaluation_duration }),
    deliveries,
  }
}

function alertAnswer(alert: TrackedAlert, silencedBy: readonly string[]): Alert {
  const { activeMs, annotations, fingerprint, firedMs, labels, state, value } = alert
  if (state === 'ENDED') throw new Error(`alert ${fingerprint} has ended`)
  return {
    fingerprint,
    labels: { ...labels },
    annotations: { ...annotations },
    state: `OBSERVABILITY_ALERT_STATE_${state}`,
    value,
    active_since: formatMillis(activeMs),
    ...(firedMs !== undefined && { fired_time: formatMillis(firedMs) }),
    silenced_by: [...silencedBy],
  }
}

/** Returns the deliveries of a rule in the order of its receivers. */
async function deliveriesOf(reader: Reader, { id, receivers }: StoredAlertRule): Promise<AlertDelivery[]> {
  const known = new Map<string, Delivery>()
  if (receivers.length > 0)
    for await (const { value } of reader.each(deliveryCollection, { rule_id: id })) known.set(value.receiver, value)
  return receivers.map(({ name }) => {
    const { last_error = '', last_success_time, next_time } = known.get(name) ?? {}
    return {
      receiver: name,
      ...(last_success_time !== undefined && { last_success_time }),
      last_error,
      pending: next_time !== undefined,
    }
  })
}
