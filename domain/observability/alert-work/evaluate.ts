import { alertLabelsDuplicate } from '../../../output/observability/errors.ts'
import type { RuleHealth } from '../../../output/observability/types.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { durationMs } from '../../resources/durations.ts'
import { advance } from '../alerts/advance.ts'
import { absentData, alertOf, type FoundAlert } from '../alerts/alert-of.ts'
import type { StoredAlertRule } from '../alerts/alert-rules-store.ts'
import type { TrackedAlert } from '../alerts/alerts-store.ts'
import type { AlertVector } from '../metrics/metric-engine.ts'
import { logsOf, metricsOf } from '../stacks/stack.ts'
import type { AlertParts } from './alert-parts.ts'
import { inTurns } from './in-turns.ts'
import { formatValue } from '../promql/format-value.ts'

/** The outcome of an evaluation. */
export interface Outcome {
  readonly health: RuleHealth
  /** The reason of an error and its sentence; empty without an error. */
  readonly error: string
  readonly alerts: readonly TrackedAlert[]
}

/** The largest number of alerts of a rule, and of characters that all of them have as JSON. */
const [maxAlerts, maxCharacters] = [10_000, 16 * 2 ** 20] as const

/** The longest time of an evaluation, in milliseconds. */
const longestMs = 30_000

/** The largest number of characters of an error. */
const maxError = 1024

/**
 * Evaluates a rule at a tick. An evaluation that fails leaves the alerts as they are (observability.md 2). Rejects only
 * if `signal` is aborted.
 */
export async function evaluate(
  readers: Pick<AlertParts, 'logs' | 'metrics' | 'stacks'>,
  rule: StoredAlertRule,
  before: readonly TrackedAlert[],
  { signal, tickMs }: { readonly tickMs: number; readonly signal: AbortSignal },
): Promise<Outcome> {
  const limitMs = Math.min(longestMs, durationMs(rule.evaluation_interval))
  const until = AbortSignal.any([signal, AbortSignal.timeout(limitMs)])
  try {
    const isLogs = rule.language === 'OBSERVABILITY_QUERY_LANGUAGE_LOGQL'
    const reader = isLogs ? logsOf(readers, rule.engine) : metricsOf(readers, rule.engine)
    const vector = await reader.alertVector(rule.workspace_id, rule.query, tickMs, until)
    return await outcomeOf(rule, before, vector, tickMs)
  } catch (error) {
    signal.throwIfAborted()
    return failed(before, until.aborted ? `QUERY_TIMEOUT: the query ran longer than ${limitMs / 1000} s` : said(error))
  }
}

async function outcomeOf(
  rule: StoredAlertRule,
  before: readonly TrackedAlert[],
  { elements, hasData }: AlertVector,
  tickMs: number,
): Promise<Outcome> {
  const isAbsent = elements.length === 0 && !hasData
  const health = isAbsent ? 'OBSERVABILITY_RULE_HEALTH_NO_DATA' : 'OBSERVABILITY_RULE_HEALTH_OK'
  if (isAbsent && rule.no_data_action === 'OBSERVABILITY_NO_DATA_ACTION_KEEP')
    return { health, error: '', alerts: before }
  if (elements.length > maxAlerts)
    return failed(before, `QUERY_LIMIT_EXCEEDED: the result has ${elements.length} elements, of at most ${maxAlerts}`)
  const stands = isAbsent && rule.no_data_action === 'OBSERVABILITY_NO_DATA_ACTION_FIRE'
  const found = stands
    ? [alertOf(rule, absentData)]
    : await inTurns(elements, ({ labels, value }) => alertOf(rule, { labels, value: formatValue(value) }))
  const fault = faultOf(found)
  if (fault !== undefined) return failed(before, fault)
  return { health, error: '', alerts: advance(rule, before, found, tickMs) }
}

/** Returns why the alerts of an evaluation cannot be stored; undefined if they can. */
function faultOf(found: readonly FoundAlert[]): string | undefined {
  const seen = new Set<string>()
  let characters = 0
  for (const { annotations, fingerprint, labels } of found) {
    if (seen.has(fingerprint))
      return `${alertLabelsDuplicate.reason}: two elements of the result have the labels ${JSON.stringify(labels)}`
    seen.add(fingerprint)
    characters += JSON.stringify(labels).length + JSON.stringify(annotations).length
  }
  return characters > maxCharacters
    ? `QUERY_LIMIT_EXCEEDED: the alerts have ${characters} characters, of at most ${maxCharacters}`
    : undefined
}

/** Returns the outcome of an evaluation that failed, with the alerts that stay. */
export const failed = (alerts: readonly TrackedAlert[], error: string): Outcome => ({
  health: 'OBSERVABILITY_RULE_HEALTH_ERROR',
  error: error.slice(0, maxError),
  alerts,
})

/** Returns the reason and the sentence of an error of the engine, and nothing of any other error. */
const said = (error: unknown): string =>
  error instanceof ApiError ? `${error.reason}: ${error.message}` : 'INTERNAL: the evaluation failed'
