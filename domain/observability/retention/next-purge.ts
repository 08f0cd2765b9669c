import { formatMillis } from '../../../runtime/timestamps.ts'

const [hourMs, dayMs] = [3_600_000, 86_400_000] as const

/** The hours of a day in UTC in which workspaces are purged. */
const [from, hours] = [1, 4] as const

/**
 * Returns the time of the next purge of a workspace after `now`, in milliseconds since 1970, as text: once a night in
 * UTC. Workspaces have different times, which their ids decide, so that their purges do not begin together.
 */
export function nextPurgeTime(workspace: string, now: number): string {
  const offset = from * hourMs + (Number.parseInt(workspace.slice(-8), 16) % (hours * 3_600)) * 1_000
  const days = Math.floor((now - offset) / dayMs) + 1
  return formatMillis(days * dayMs + offset)
}
