import type { StoredList } from '../revoked/lists-store.ts'

/** The time for which a list holds, in milliseconds (vault.md 4.5). */
export const listLifetimeMs = 7 * 86_400_000

/** Returns when half of the time of a signed list is over; undefined before the first signature. */
export function halfLife({ next_update_time, this_update_time }: StoredList): number | undefined {
  if (this_update_time === undefined || next_update_time === undefined) return undefined
  return (Date.parse(this_update_time) + Date.parse(next_update_time)) / 2
}

/**
 * Whether a list must be signed anew at a time: it was never signed, lacks a revocation, or is past its half life. The
 * last list of an authority whose certificate has ended stays.
 */
export function isDue(list: StoredList, notAfter: number, now: number): boolean {
  const half = halfLife(list)
  if (half === undefined) return true
  return now < notAfter && (list.is_dirty || now >= half)
}

/** Whether the signed list still holds at a time. */
export const holds = ({ next_update_time }: StoredList, now: number): boolean =>
  next_update_time !== undefined && now < Date.parse(next_update_time)
