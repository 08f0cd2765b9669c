import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { countActive, worstState } from '../alerts/advance.ts'
import { alertRuleCollection, type StoredAlertRule } from '../alerts/alert-rules-store.ts'
import { alertPageCollection, evaluationCollection, readAlerts } from '../alerts/alerts-store.ts'
import {
  deliveryCollection,
  deliveryId,
  notificationCollection,
  receiverSecretCollection,
} from '../notifications/deliveries-store.ts'
import { alertRuleKind } from './alert-rule-kind.ts'

const { type: resourceType } = alertRuleKind

/**
 * Yields the alert rules whose state contradicts their alerts, and the rows of evaluations, alerts and notifications that
 * belong to no rule or receiver.
 */
export async function* inspectAlerts(reader: Reader): AsyncGenerator<Finding, void, undefined> {
  for await (const { id, value } of reader.each(alertRuleCollection)) {
    for (const message of await ruleFaults(reader, value)) yield { resourceType, id, message }
  }
  for await (const { id } of reader.each(evaluationCollection)) yield* strays(reader, id, 'an evaluation')
  for await (const { value } of reader.each(alertPageCollection)) yield* strays(reader, value.rule_id, 'alerts')
  for await (const { value } of reader.each(receiverSecretCollection)) yield* strays(reader, value.rule_id, 'a secret')
  for await (const { value } of reader.each(deliveryCollection)) {
    yield* strays(reader, value.rule_id, 'a delivery')
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

/** Yields a finding if a rule that has rows is absent. */
async function* strays(reader: Reader, rule: string, what: string): AsyncGenerator<Finding, void, undefined> {
  if (await reader.exists(alertRuleCollection, { id: rule })) return
  yield { resourceType, id: rule, message: `has ${what}, but no row` }
}
