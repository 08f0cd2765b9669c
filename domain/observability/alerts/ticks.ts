/** The longest delay of an evaluation after its tick, in milliseconds. */
const maxJitterMs = 5_000

/**
 * Returns the delay in milliseconds with which a rule is evaluated after its ticks: at most a tenth of the interval, and
 * always the same for a rule, so that the rules of many workspaces are not evaluated at one moment. The result has the
 * time of the tick.
 */
export function jitterOf(rule: string, intervalMs: number): number {
  // The last digits of a UUIDv7 are random.
  return Number.parseInt(rule.slice(-8), 16) % Math.min(maxJitterMs, Math.floor(intervalMs / 10))
}

/** Returns the last tick of a rule whose evaluation is due: a multiple of the interval since 1970. */
export const dueTick = (rule: string, intervalMs: number, nowMs: number): number =>
  Math.floor((nowMs - jitterOf(rule, intervalMs)) / intervalMs) * intervalMs

/** Returns the time at which the tick after `tickMs` is evaluated. */
export const timeAfter = (rule: string, intervalMs: number, tickMs: number): number =>
  tickMs + intervalMs + jitterOf(rule, intervalMs)
