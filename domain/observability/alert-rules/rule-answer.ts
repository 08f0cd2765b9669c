import type { Alert, AlertDelivery, AlertRule } from '../../../output/observability/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Reader } from '../../ports/store.ts'
import type { StoredAlertRule } from '../alerts/alert-rules-store.ts'
import { alertsPerPage, evaluationCollection, firstAlerts, type TrackedAlert } from '../alerts/alerts-store.ts'
import type { SilencesOf } from '../alerts/silences-of.ts'
import { deliveryCollection, type Delivery } from '../notifications/deliveries-store.ts'

/** Returns a rule as it is answered, with its alerts and deliveries. */
export async function ruleAnswer(reader: Reader, rule: StoredAlertRule, silencesOf: SilencesOf): Promise<AlertRule> {
  const { id } = rule
  const evaluation = (await reader.get(evaluationCollection, id))?.value
  const count = evaluation?.alert_count ?? 0
  const alerts = count === 0 ? [] : (await firstAlerts(reader, id)).filter(({ state }) => state !== 'ENDED')
  const { evaluation_duration, last_error = '', last_evaluation_time } = evaluation ?? {}
  return {
    ...rule,
    last_error,
    alerts: alerts.slice(0, alertsPerPage).map(alert => alertAnswer(alert, silencesOf)),
    alert_count: count,
    ...(last_evaluation_time !== undefined && { last_evaluation_time }),
    ...(evaluation_duration !== undefined && { evaluation_duration }),
    deliveries: await deliveriesOf(reader, rule),
  }
}

function alertAnswer(alert: TrackedAlert, silencesOf: SilencesOf): Alert {
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
    silenced_by: [...silencesOf(labels)],
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
