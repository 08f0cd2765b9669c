import type { AlertReceiver } from '../../../output/observability/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Transaction } from '../../ports/store.ts'
import { durationMs } from '../../resources/durations.ts'
import { endAll } from '../alerts/advance.ts'
import type { StoredAlertRule } from '../alerts/alert-rules-store.ts'
import { evaluationCollection, readAlerts, writeAlerts } from '../alerts/alerts-store.ts'
import { dueTick, timeAfter } from '../alerts/ticks.ts'
import { dropReceivers } from '../notifications/deliveries-store.ts'

/** The members whose change starts the alerts of a rule anew (observability.md 2). */
const resetting: ReadonlySet<string> = new Set(['query', 'language', 'for', 'alert_labels', 'severity', 'enabled'])

/** Returns whether changed members start the alerts of a rule anew. */
export const isReset = (changed: readonly string[]): boolean => changed.some(name => resetting.has(name))

/** Returns the state and health of a rule without alerts. */
export const firstState = ({
  enabled,
}: Pick<StoredAlertRule, 'enabled'>): Pick<StoredAlertRule, 'state' | 'health'> => ({
  state: enabled ? 'OBSERVABILITY_ALERT_RULE_STATE_INACTIVE' : 'OBSERVABILITY_ALERT_RULE_STATE_DISABLED',
  health: 'OBSERVABILITY_RULE_HEALTH_UNKNOWN',
})

/** Stores that a new rule is evaluated from its next tick on. */
export async function beginEvaluation(
  tx: Transaction,
  { evaluation_interval, id, workspace_id }: StoredAlertRule,
  now: number,
): Promise<void> {
  const intervalMs = durationMs(evaluation_interval)
  const tickMs = dueTick(id, intervalMs, now)
  const next_time = formatMillis(timeAfter(id, intervalMs, tickMs))
  await tx.insert(evaluationCollection, { id, workspace_id, next_time, tickMs, last_error: '', alert_count: 0 })
}

/**
 * Follows a change of a rule, whose row the transaction has locked: ends its alerts if they start anew, forgets removed
 * receivers, and lets the evaluator look at the rule at once.
 */
export async function changeEvaluation(
  tx: Transaction,
  { id, receivers }: StoredAlertRule,
  change: { readonly isReset: boolean; readonly wasNamed: readonly AlertReceiver[]; readonly now: number },
): Promise<void> {
  const { isReset: isAnew, now, wasNamed } = change
  const evaluation = await tx.lock(evaluationCollection, id)
  if (!evaluation) return
  const { value, version } = evaluation
  const anew = isAnew ? { last_error: '', alert_count: 0 } : {}
  await tx.update(evaluationCollection, id, { ...value, ...anew, next_time: formatMillis(now) }, version)
  if (isAnew) await writeAlerts(tx, value, endAll(await readAlerts(tx, id), now))
  const names = new Set(receivers.map(({ name }) => name))
  if (wasNamed.some(({ name }) => !names.has(name))) await dropReceivers(tx, id, names)
}

/** Deletes all rows that belong to a deleted rule. */
export async function dropEvaluation(tx: Transaction, rule: string): Promise<void> {
  const evaluation = await tx.lock(evaluationCollection, rule)
  if (!evaluation) return
  await writeAlerts(tx, evaluation.value, [])
  await tx.delete(evaluationCollection, rule, evaluation.version)
  await dropReceivers(tx, rule, new Set())
}
