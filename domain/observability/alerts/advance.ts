import type { AlertRule } from '../../../output/observability/types.ts'
import { durationMs } from '../../resources/durations.ts'
import type { FoundAlert } from './alert-of.ts'
import type { TrackedAlert } from './alerts-store.ts'

/** The members of a rule that determine how its alerts change. */
export type TimingRule = Pick<AlertRule, 'for' | 'keep_firing_for'>

/**
 * Returns the alerts of a rule after an evaluation at `tickMs` that has found `found` (observability.md 2). An element
 * that appears is PENDING, and FIRING once it has been there for `for`. An alert without its element recovers for
 * `keep_firing_for`, and then ends; a PENDING one is dropped. An alert that fires again before its end is told stays told,
 * and its end is dropped.
 */
export function advance(
  rule: TimingRule,
  before: readonly TrackedAlert[],
  found: readonly FoundAlert[],
  tickMs: number,
): readonly TrackedAlert[] {
  const forMs = durationMs(rule.for)
  const keepMs = durationMs(rule.keep_firing_for)
  const ended = new Map<string, TrackedAlert>()
  const active = new Map<string, TrackedAlert>()
  for (const alert of before) (alert.state === 'ENDED' ? ended : active).set(alert.fingerprint, alert)
  const after: TrackedAlert[] = []
  for (const element of found) {
    const known = active.get(element.fingerprint)
    active.delete(element.fingerprint)
    const isFiring = known !== undefined && known.state !== 'PENDING'
    const activeMs = known?.activeMs ?? tickMs
    if (isFiring) after.push(firing(element, known.firedMs ?? tickMs, activeMs, known.isTold))
    else if (tickMs - activeMs >= forMs) {
      after.push(firing(element, tickMs, activeMs, ended.get(element.fingerprint)?.isTold ?? false))
      ended.delete(element.fingerprint)
    } else after.push({ ...element, state: 'PENDING', activeMs, isTold: false })
  }
  for (const alert of active.values()) {
    const left = withoutElement(alert, keepMs, tickMs)
    if (left?.state === 'ENDED') ended.set(alert.fingerprint, left)
    else if (left) after.push(left)
  }
  return [...after, ...ended.values()]
}

const firing = (element: FoundAlert, firedMs: number, activeMs: number, isTold: boolean): TrackedAlert => ({
  ...element,
  state: 'FIRING',
  activeMs,
  firedMs,
  isTold,
})

/** Returns an alert whose element is gone; undefined for an alert that never fired. */
function withoutElement(alert: TrackedAlert, keepMs: number, tickMs: number): TrackedAlert | undefined {
  if (alert.state === 'PENDING') return undefined
  const goneMs = alert.state === 'RECOVERING' ? (alert.goneMs ?? tickMs) : tickMs
  if (keepMs > 0 && tickMs - goneMs < keepMs) return { ...alert, state: 'RECOVERING', goneMs }
  return { ...alert, state: 'ENDED', goneMs: tickMs }
}

/**
 * Returns the alerts of a rule that is disabled, or whose alerts start anew: the alerts that fire end at `nowMs`, and
 * the others are dropped.
 */
export const endAll = (alerts: readonly TrackedAlert[], nowMs: number): readonly TrackedAlert[] =>
  alerts.flatMap(alert => (alert.state === 'ENDED' ? [alert] : (withoutElement(alert, 0, nowMs) ?? [])))

/** Returns the worst state of alerts, as the state of their rule; RECOVERING counts as FIRING. */
export function worstState(alerts: readonly TrackedAlert[]): 'FIRING' | 'PENDING' | 'INACTIVE' {
  if (alerts.some(({ state }) => state === 'FIRING' || state === 'RECOVERING')) return 'FIRING'
  return alerts.some(({ state }) => state === 'PENDING') ? 'PENDING' : 'INACTIVE'
}

/** Returns the number of alerts that have not ended. */
export const countActive = (alerts: readonly TrackedAlert[]): number =>
  alerts.filter(({ state }) => state !== 'ENDED').length
