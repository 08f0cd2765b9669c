import type { StoredAlertRule } from '../alerts/alert-rules-store.ts'
import type { TrackedAlert } from '../alerts/alerts-store.ts'
import type { SentAlert } from '../stacks/alert-sink.ts'
import { nativeEngine } from '../stacks/stack.ts'
import { groupOf, type AlertParts } from './alert-parts.ts'

/** The evaluations after which an alert ends of itself unless it is sent again, as Prometheus has it. */
const resendIntervals = 4

/** The alerts of a rule around one evaluation. */
export interface EvaluatedAlerts {
  readonly before: readonly TrackedAlert[]
  readonly after: readonly TrackedAlert[]
  /** The fingerprints of the alerts that a silence covers. */
  readonly silenced: ReadonlySet<string>
  /** The interval of the rule, and the time of the evaluation, in milliseconds. */
  readonly intervalMs: number
  readonly tickMs: number
}

/**
 * Sends the alerts of a rule of a stack to the Alertmanager of the stack, if it has one: those that fire, and the ends of
 * those that fired at the evaluation before. Silenced alerts are not sent, so that they end there. A failure is
 * reported; the next evaluation sends the alerts again.
 */
export async function sendAlerts(
  parts: Pick<AlertParts, 'baseUrl' | 'failed' | 'stacks'>,
  rule: StoredAlertRule,
  evaluated: EvaluatedAlerts,
  signal: AbortSignal,
): Promise<void> {
  const sink = rule.engine === nativeEngine ? undefined : parts.stacks.get(rule.engine)?.alerts
  const alerts = sink ? alertsOf(evaluated, groupOf(parts, rule).ruleUrl) : []
  if (sink === undefined || alerts.length === 0) return
  try {
    await sink.send(rule.workspace_id, alerts, signal)
  } catch (error) {
    if (!signal.aborted) parts.failed(error, `observability.alertRules ${rule.id}`)
  }
}

function alertsOf(
  { after, before, intervalMs, silenced, tickMs }: EvaluatedAlerts,
  generatorURL: string,
): readonly SentAlert[] {
  const fires = ({ state }: TrackedAlert): boolean => state === 'FIRING' || state === 'RECOVERING'
  const firing = after.filter(alert => fires(alert) && !silenced.has(alert.fingerprint))
  const still = new Set(firing.map(({ fingerprint }) => fingerprint))
  const ended = before.filter(alert => fires(alert) && !still.has(alert.fingerprint))
  const sent = ({ activeMs, annotations, firedMs = activeMs, labels }: TrackedAlert, endMs: number): SentAlert => ({
    labels,
    annotations,
    startsAt: new Date(firedMs).toISOString(),
    endsAt: new Date(endMs).toISOString(),
    generatorURL,
  })
  return [
    ...firing.map(alert => sent(alert, tickMs + resendIntervals * intervalMs)),
    ...ended.map(alert => sent(alert, tickMs)),
  ]
}
