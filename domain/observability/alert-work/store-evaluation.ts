import type { AlertRuleState, RuleHealth } from '../../../output/observability/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { countActive, worstState } from '../alerts/advance.ts'
import { alertRuleCollection, type StoredAlertRule } from '../alerts/alert-rules-store.ts'
import { evaluationCollection, writeAlerts, type Evaluation } from '../alerts/alerts-store.ts'
import type { GroupDecision } from '../alerts/group.ts'
import { addNotification, deliveryCollection, deliveryId } from '../notifications/deliveries-store.ts'
import { webhookAlert } from '../notifications/webhook-body.ts'
import { groupOf, type AlertParts } from './alert-parts.ts'

/** A rule and its evaluation as they were read before the evaluation. */
export interface ReadRule {
  readonly rule: Stored<StoredAlertRule>
  readonly evaluation: Stored<Evaluation>
}

/** The result of work on a rule. */
export interface RuleResult {
  readonly health: RuleHealth
  readonly decision: GroupDecision
  /** The time in milliseconds since 1970 from which the intervals of the notification count. */
  readonly nowMs: number
  /** The members of the evaluation that an evaluation at a tick changes; empty if only notifications were due. */
  readonly evaluated: Pick<
    Evaluation,
    'tickMs' | 'last_error' | 'last_evaluation_time' | 'evaluation_duration' | 'next_time'
  >
}

/**
 * Stores the result of work on a rule in one transaction: the states of the alerts, and the notification for each
 * receiver. Stores nothing if the rule was changed or deleted since it was read: the change has its own evaluation.
 */
export async function storeResult(
  parts: Pick<AlertParts, 'baseUrl' | 'clock'>,
  tx: Transaction,
  read: ReadRule,
  { decision, evaluated, health, nowMs }: RuleResult,
): Promise<void> {
  const { id } = read.rule
  const rule = await tx.lock(alertRuleCollection, id)
  const evaluation = await tx.lock(evaluationCollection, id)
  if (rule?.value.etag !== read.rule.value.etag || evaluation?.version !== read.evaluation.version) return
  const { alerts, dueMs, told } = decision
  const nextMs = Math.min(Date.parse(evaluated.next_time), dueMs ?? Infinity)
  await tx.update(
    evaluationCollection,
    id,
    {
      ...evaluation.value,
      ...evaluated,
      alert_count: countActive(alerts),
      next_time: formatMillis(nextMs),
      ...(told && { notifiedMs: nowMs }),
    },
    evaluation.version,
  )
  await writeAlerts(tx, evaluation.value, alerts)
  await storeState(tx, rule, stateOf(rule.value, decision), health, parts.clock.now())
  await notify(parts, tx, rule.value, decision)
}

const stateOf = ({ enabled }: StoredAlertRule, { alerts }: GroupDecision): AlertRuleState =>
  `OBSERVABILITY_ALERT_RULE_STATE_${enabled ? worstState(alerts) : 'DISABLED'}`

/** Writes the state and health of a rule if they have changed; the time of the update moves with the state. */
async function storeState(
  tx: Transaction,
  { id, value, version }: Stored<StoredAlertRule>,
  state: AlertRuleState,
  health: RuleHealth,
  nowMs: number,
): Promise<void> {
  if (value.state === state && value.health === health) return
  const moved = value.state === state ? {} : { update_time: formatMillis(nowMs) }
  await tx.update(alertRuleCollection, id, { ...value, state, health, ...moved }, version)
}

/**
 * Stores the notification for all receivers of a rule. A receiver that was added while alerts fire is told about them at
 * once.
 */
async function notify(
  parts: Pick<AlertParts, 'baseUrl' | 'clock'>,
  tx: Transaction,
  rule: StoredAlertRule,
  { firing, told }: GroupDecision,
): Promise<void> {
  if (rule.receivers.length === 0 || (!told && firing.length === 0)) return
  const group = groupOf(parts, rule)
  const all = told?.map(alert => webhookAlert(alert, group.ruleUrl))
  for (const receiver of rule.receivers) {
    const isKnown = await tx.exists(deliveryCollection, { id: deliveryId(rule.id, receiver.name) })
    const alerts = all ?? (isKnown ? undefined : firing.map(alert => webhookAlert(alert, group.ruleUrl)))
    const { clock } = parts
    if (alerts) await addNotification(tx, rule, receiver, { alerts, group, nowMs: clock.now(), newId: clock.newId })
  }
}
