import type { AlertRule } from '../../../output/observability/types.ts'
import { durationMs } from '../../resources/durations.ts'
import type { TrackedAlert } from './alerts-store.ts'

/** The members of a rule that determine when its alerts notify. */
export type NotifyingRule = Pick<AlertRule, 'group_interval' | 'repeat_interval' | 'send_resolved'>

/** The group of the alerts of a rule at a time in milliseconds since 1970. */
export interface Group {
  readonly alerts: readonly TrackedAlert[]
  /** The time of the last notification. */
  readonly notifiedMs: number | undefined
  readonly nowMs: number
  /** The fingerprints of the alerts that a silence covers now. */
  readonly silenced: ReadonlySet<string>
}

/** The alerts of a group after the decision about a notification. */
export interface GroupDecision {
  readonly alerts: readonly TrackedAlert[]
  /** The alerts to tell: those that fire, then those that have ended. Absent if no notification is due. */
  readonly told?: readonly TrackedAlert[]
  /** The time of the next notification if no alert changes; absent if there is nothing to tell. */
  readonly dueMs?: number
  /** The alerts that fire and are not silenced. */
  readonly firing: readonly TrackedAlert[]
}

const isFiring = ({ state }: TrackedAlert): boolean => state === 'FIRING' || state === 'RECOVERING'

/**
 * Decides whether the group of a rule notifies (observability.md, AlertRule). The first notification goes out at once, a
 * changed group not before `group_interval` after the last one, and a group that fires unchanged after
 * `repeat_interval`. A silenced alert is not told, and counts as new when its silence ends; the end of a silenced alert
 * is dropped, as Alertmanager does.
 */
export function decide(rule: NotifyingRule, { alerts: before, notifiedMs, nowMs, silenced }: Group): GroupDecision {
  const alerts = before.flatMap(alert => {
    if (alert.state === 'PENDING') return [alert]
    const isMuted = silenced.has(alert.fingerprint)
    if (alert.state === 'ENDED') return isMuted || !rule.send_resolved ? [] : [alert]
    return [isMuted && alert.isTold ? { ...alert, isTold: false } : alert]
  })
  const firing = alerts.filter(alert => isFiring(alert) && !silenced.has(alert.fingerprint))
  const ended = alerts.filter(({ state }) => state === 'ENDED')
  const isChanged = ended.length > 0 || firing.some(({ isTold }) => !isTold)
  if (!isChanged && firing.length === 0) return { alerts, firing }
  const groupMs = durationMs(rule.group_interval)
  const repeatMs = durationMs(rule.repeat_interval)
  const dueMs = notifiedMs === undefined ? nowMs : notifiedMs + (isChanged ? groupMs : repeatMs)
  if (dueMs > nowMs) return { alerts, firing, dueMs }
  const told = new Set(firing)
  return {
    alerts: alerts
      .filter(({ state }) => state !== 'ENDED')
      .map(alert => (told.has(alert) && !alert.isTold ? { ...alert, isTold: true } : alert)),
    firing,
    told: [...firing, ...ended],
    ...(firing.length > 0 && { dueMs: nowMs + repeatMs }),
  }
}
