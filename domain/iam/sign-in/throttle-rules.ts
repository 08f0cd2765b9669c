const minuteMs = 60_000

/** The rule for the delays after failures under keys of one kind. */
export interface ThrottleRule {
  /** The time in which a failure counts, in milliseconds. */
  readonly windowMs: number
  /**
   * The first and the longest delay, in milliseconds; each delay is twice as long as the delay before. Absent: the
   * delay lasts until enough failures have left the window.
   */
  readonly doubling?: { readonly firstWaitMs: number; readonly maxWaitMs: number }
}

/** The rules, keyed by kind of key (iam.md 4.7). */
export const throttleRules = {
  email_network: {
    windowMs: 15 * minuteMs,
    doubling: { firstWaitMs: minuteMs, maxWaitMs: 15 * minuteMs },
  },
  email: { windowMs: 60 * minuteMs },
  network: { windowMs: 5 * minuteMs },
  credential_token: { windowMs: minuteMs },
} as const satisfies Record<string, ThrottleRule>

export type ThrottleKind = keyof typeof throttleRules

/**
 * The number of failures in the window from which each rule delays attempts, keyed by kind of key; 0 means that the
 * rule never delays (conventions §19, `iam.throttle.*`).
 */
export type ThrottleLimits = Readonly<Record<ThrottleKind, number>>

export const defaultThrottleLimits: ThrottleLimits = { email_network: 5, email: 50, network: 100, credential_token: 20 }

/**
 * The maximal number of stored times. If the limit of failures is higher, failures within the same fraction of the
 * window share one time.
 */
const maxMoments = 300

/** The failures under one key. All times are in milliseconds since 1970. */
export interface Failures {
  /** The times of failures with the number of failures at each time, oldest first. */
  readonly moments: readonly (readonly [time: number, count: number])[]
  /** The number of delays so far, which determines the next delay. */
  readonly waits: number
  /** The end of the present delay; 0 without a delay. */
  readonly waitUntil: number
}

export const noFailures: Failures = { moments: [], waits: 0, waitUntil: 0 }

/** Returns the time under which a failure at `now` is stored, in milliseconds since 1970 as `now`. */
export function momentOf({ windowMs }: ThrottleRule, limit: number, now: number): number {
  const grain = limit <= maxMoments ? 1 : Math.ceil(windowMs / maxMoments)
  return now - (now % grain)
}

/** Returns the failures with an additional failure at `now`. */
export function withFailure(rule: ThrottleRule, limit: number, before: Failures, now: number): Failures {
  const { doubling, windowMs } = rule
  const isForgiven =
    before.waits > 0 && (now >= before.waitUntil + windowMs || isAhead(before.waitUntil, windowMs, now))
  const { moments, waits } = isForgiven ? noFailures : before
  const counted = added(inWindow(moments, windowMs, now), momentOf(rule, limit, now))
  if (doubling === undefined) return { moments: counted, waits: 0, waitUntil: roomAt(counted, windowMs, limit) }
  if (waits === 0 && sum(counted) < limit) return { moments: counted, waits, waitUntil: 0 }
  return { moments: counted, waits: waits + 1, waitUntil: now + waitAfter(doubling, waits + 1) }
}

/** Returns the time until which an attempt at `now` is refused; 0 if the attempt is allowed. */
export const refusedUntil = (
  { windowMs }: ThrottleRule,
  { waitUntil }: Pick<Failures, 'waitUntil'>,
  now: number,
): number => (waitUntil > now && !isAhead(waitUntil, windowMs, now) ? waitUntil : 0)

/** Returns whether a time is so far in the future that the clock must have been turned back. */
const isAhead = (time: number, windowMs: number, now: number): boolean => time > now + windowMs

/** Returns the failures without a failure at `moment`, whose attempt was successful or did not take place. */
export function withdrawn(rule: ThrottleRule, limit: number, before: Failures, moment: number): Failures {
  const { doubling, windowMs } = rule
  const moments = before.moments
    .map(([time, count]) => [time, time === moment ? count - 1 : count] as const)
    .filter(([, count]) => count > 0)
  if (doubling === undefined) return { moments, waits: 0, waitUntil: roomAt(moments, windowMs, limit) }
  const waits = Math.max(0, before.waits - 1)
  const [last = 0] = moments.at(-1) ?? []
  return { moments, waits, waitUntil: waits === 0 ? 0 : last + waitAfter(doubling, waits) }
}

/** Returns the time from which no failure counts any more. */
export function forgottenAt({ windowMs }: ThrottleRule, { moments, waitUntil }: Failures): number {
  const [last = 0] = moments.at(-1) ?? []
  return Math.max(last, waitUntil) + windowMs
}

const waitAfter = ({ firstWaitMs, maxWaitMs }: NonNullable<ThrottleRule['doubling']>, waits: number): number =>
  Math.min(maxWaitMs, firstWaitMs * 2 ** (waits - 1))

const inWindow = (moments: Failures['moments'], windowMs: number, now: number): Failures['moments'] =>
  moments.filter(([time]) => time > now - windowMs && !isAhead(time, windowMs, now))

/**
 * Returns the times with an additional failure, in the order of time. Attempts on different servers may arrive slightly
 * out of order.
 */
function added(moments: Failures['moments'], moment: number): Failures['moments'] {
  const others = moments.filter(([time]) => time !== moment)
  const [, count = 0] = moments.find(([time]) => time === moment) ?? []
  return [...others, [moment, count + 1] as const].sort(([a], [b]) => a - b)
}

/** Returns the time from which fewer than `limit` failures are in the window; 0 if fewer are in the window now. */
function roomAt(moments: Failures['moments'], windowMs: number, limit: number): number {
  let left = sum(moments)
  if (left < limit) return 0
  for (const [time, count] of moments) {
    left -= count
    if (left < limit) return time + windowMs
  }
  return 0
}

const sum = (moments: Failures['moments']): number => moments.reduce((all, [, count]) => all + count, 0)
