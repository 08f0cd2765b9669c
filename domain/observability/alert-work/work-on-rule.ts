import { formatMillis } from '../../../runtime/timestamps.ts'
import { durationMs } from '../../resources/durations.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { Turn } from '../../ports/workers.ts'
import { alertRuleCollection, type StoredAlertRule } from '../alerts/alert-rules-store.ts'
import { evaluationCollection, readAlerts, type Evaluation, type TrackedAlert } from '../alerts/alerts-store.ts'
import { decide } from '../alerts/group.ts'
import { dueTick, timeAfter } from '../alerts/ticks.ts'
import { activeSilences } from '../silences/active-silences.ts'
import { silencesOf, tooManyMatches } from '../silences/matched-alerts.ts'
import { evaluate, failed } from './evaluate.ts'
import type { AlertParts } from './alert-parts.ts'
import { sendAlerts } from './send-alerts.ts'
import { storeResult, type ReadRule } from './store-evaluation.ts'

/** The time after which a disabled rule is looked at again, in milliseconds. */
const idleMs = 3_600_000

/**
 * Does the due work on a rule: evaluates it at its last tick unless that is done, and decides about its notification.
 * Ticks that were missed are skipped. In a workspace that is not active, a rule waits for its next tick.
 */
export async function workOnRule(parts: AlertParts, turn: Turn, id: string): Promise<void> {
  const { clock, store, taxonomy } = parts
  const rule = await store.get(alertRuleCollection, id)
  const evaluation = await store.get(evaluationCollection, id)
  if (!rule || !evaluation) return
  const read = { rule, evaluation }
  const { enabled, evaluation_interval, workspace_id } = rule.value
  const nowMs = clock.now()
  const intervalMs = durationMs(evaluation_interval)
  const tickMs = dueTick(id, intervalMs, nowMs)
  const isActive = (await taxonomy.effectiveState(store, workspaceScope(workspace_id)))?.state === 'ACTIVE'
  if (!isActive) {
    await turn.tx(async tx => {
      const stored = await tx.lock(evaluationCollection, id)
      if (stored?.version !== evaluation.version) return
      const next_time = formatMillis(timeAfter(id, intervalMs, tickMs))
      await tx.update(evaluationCollection, id, { ...stored.value, next_time }, stored.version)
    })
    return
  }
  const isDue = enabled && tickMs > (evaluation.value.tickMs ?? -Infinity)
  if (isDue) await evaluateAt(parts, turn, read, { intervalMs, tickMs })
  else await notifyAt(parts, turn, read, nowMs, enabled ? timeAfter(id, intervalMs, tickMs) : nowMs + idleMs)
}

async function evaluateAt(
  parts: AlertParts,
  turn: Turn,
  read: ReadRule,
  { intervalMs, tickMs }: { readonly intervalMs: number; readonly tickMs: number },
): Promise<void> {
  const { id, value: rule } = read.rule
  const startedMs = performance.now()
  const before = await readAlerts(parts.store, id)
  const outcome = await evaluate(parts, rule, before, { tickMs, signal: turn.signal })
  const { alerts } = outcome
  const { isWhole, silenced } = await silencedOf(parts, rule, alerts)
  const { error, health } = isWhole ? outcome : failed(alerts, `QUERY_LIMIT_EXCEEDED: ${tooManyMatches().message}`)
  const { notifiedMs } = read.evaluation.value
  const decision = decide(rule, { alerts, notifiedMs, nowMs: tickMs, silenced })
  const evaluated = {
    tickMs,
    last_error: error,
    last_evaluation_time: formatMillis(tickMs),
    evaluation_duration: secondsText(performance.now() - startedMs),
    next_time: formatMillis(timeAfter(id, intervalMs, tickMs)),
  }
  await turn.tx(tx => storeResult(parts, tx, read, { decision, evaluated, health, nowMs: tickMs }))
  await sendAlerts(parts, rule, { before, after: decision.alerts, silenced, intervalMs, tickMs }, turn.signal)
  parts.alertCounts.evaluated(
    error !== '' ? 'error' : health === 'OBSERVABILITY_RULE_HEALTH_NO_DATA' ? 'no_data' : 'ok',
    performance.now() - startedMs,
  )
}

/** Sends the notifications that are due between two evaluations: repeated ones, and those of ended alerts. */
async function notifyAt(parts: AlertParts, turn: Turn, read: ReadRule, nowMs: number, nextMs: number): Promise<void> {
  const { id, value: rule } = read.rule
  const alerts = await readAlerts(parts.store, id)
  const { last_error, notifiedMs }: Evaluation = read.evaluation.value
  const { silenced } = await silencedOf(parts, rule, alerts)
  const decision = decide(rule, { alerts, notifiedMs, nowMs, silenced })
  const evaluated = { last_error, next_time: formatMillis(nextMs) }
  await turn.tx(tx => storeResult(parts, tx, read, { decision, evaluated, health: rule.health, nowMs }))
}

/**
 * Returns the fingerprints of the alerts that a silence covers now, and whether all silences could be compared: alerts
 * notify rather than wait for a comparison that takes too long.
 */
async function silencedOf(
  { clock, store }: AlertParts,
  { workspace_id }: StoredAlertRule,
  alerts: readonly TrackedAlert[],
): Promise<{ readonly silenced: ReadonlySet<string>; readonly isWhole: boolean }> {
  const active = await activeSilences(store, workspace_id, clock.now())
  const labels = alerts.map(each => each.labels)
  const { isWhole, silencedBy } = await silencesOf(active, labels)
  const covered = alerts.filter((_alert, i) => (silencedBy[i]?.length ?? 0) > 0)
  return { isWhole, silenced: new Set(covered.map(({ fingerprint }) => fingerprint)) }
}

/** Returns a duration in milliseconds as the API writes durations. */
const secondsText = (ms: number): string => `${(Math.round(ms) / 1000).toString()}s`
