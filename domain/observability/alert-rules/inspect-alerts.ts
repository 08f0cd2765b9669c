import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { countActive, worstState } from '../alerts/advance.ts'
import { alertRuleCollection, type StoredAlertRule } from '../alerts/alert-rules-store.ts'
import { alertPageCollection, evaluationCollection, readAlerts } from '../alerts/alerts-store.ts'
import { fingerprintOf } from '../alerts/fingerprint.ts'
import {
  deliveryCollection,
  deliveryId,
  notificationCollection,
  receiverSecretCollection,
} from '../notifications/deliveries-store.ts'
import { alertRuleKind } from './alert-rule-kind.ts'

const { type: resourceType } = alertRuleKind

/**
 * Yields the alert rules whose state contradicts their alerts, the alerts whose fingerprint contradicts their labels, and
 * the rows of evaluations, alerts and notifications that belong to no rule or receiver of their workspace.
 */
export async function* inspectAlerts(reader: Reader): AsyncGenerator<Finding, void, undefined> {
  for await (const { id, value } of reader.each(alertRuleCollection)) {
    for (const message of await ruleFaults(reader, value)) yield { resourceType, id, message }
  }
  for await (const { id, value } of reader.each(evaluationCollection))
    yield* strays(reader, { ...value, rule_id: id }, 'an evaluation')
  for await (const { value } of reader.each(alertPageCollection)) {
    yield* strays(reader, value, 'alerts')
    for (const { fingerprint, labels } of value.alerts) {
      if (fingerprintOf(labels) === fingerprint) continue
      yield { resourceType, id: value.rule_id, message: `has an alert ${fingerprint} with the labels of another alert` }
    }
  }
  for await (const { value } of reader.each(receiverSecretCollection)) yield* strays(reader, value, 'a secret')
  for await (const { id, value } of reader.each(notificationCollection)) {
    if (await reader.exists(deliveryCollection, { id })) continue
    yield { resourceType, id: value.rule_id, message: `has a notification ${id}, but no delivery would send it` }
  }
  for await (const { value } of reader.each(deliveryCollection)) {
    yield* strays(reader, value, 'a delivery')
    const pending = await reader.exists(notificationCollection, { id: value.id })
    if (pending === (value.next_time !== undefined)) continue
    const message = `the delivery to ${value.receiver} ${pending ? 'is not pending but has' : 'is pending without'} a notification`
    yield { resourceType, id: value.rule_id, message }
  }
}

async function ruleFaults(reader: Reader, rule: StoredAlertRule): Promise<readonly string[]> {
  const { enabled, id, receivers, state } = rule
  const evaluation = (await reader.get(evaluationCollection, id))?.value
  if (!evaluation) return ['has no evaluation']
  const alerts = await readAlerts(reader, id)
  const count = countActive(alerts)
  const expected = `OBSERVABILITY_ALERT_RULE_STATE_${enabled ? worstState(alerts) : 'DISABLED'}`
  const known = new Set(receivers.map(({ name }) => deliveryId(id, name)))
  const strayReceivers: string[] = []
  for await (const { id: row } of reader.each(deliveryCollection, { rule_id: id }))
    if (!known.has(row)) strayReceivers.push(row)
  for await (const { id: row } of reader.each(receiverSecretCollection, { rule_id: id }))
    if (!known.has(row)) strayReceivers.push(row)
  return [
    ...(evaluation.alert_count === count ? [] : [`counts ${evaluation.alert_count} alerts, but has ${count}`]),
    ...(state === expected ? [] : [`is ${state}, but its alerts make it ${expected}`]),
    ...strayReceivers.map(row => `has a row ${row} for a receiver that it does not name`),
  ]
}

/** A row that belongs to an alert rule. */
interface OfRule {
  readonly rule_id: string
  readonly workspace_id: string
}

/** Yields a finding if the workspace of a row has no rule that the row belongs to. */
async function* strays(
  reader: Reader,
  { rule_id: id, workspace_id }: OfRule,
  what: string,
): AsyncGenerator<Finding, void, undefined> {
  if (await reader.exists(alertRuleCollection, { id, workspace_id })) return
  yield { resourceType, id, message: `has ${what} in workspace ${workspace_id}, which has no such rule` }
}
