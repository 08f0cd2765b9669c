import type { Worker } from '../domain/ports/workers.ts'
import { quoted } from '../runtime/refusal.ts'
import type { BoundRoute } from '../runtime/route.ts'

/** Returns the message for a fault in a member of an area's declaration: the place, the fault, then the remedy. */
export const areaFault = (area: string, member: string, fault: string): string =>
  `the area ${area}: ${member}: ${fault}`

/** The maximal delay of a timer of Node.js in milliseconds; a longer timer would fire at once. */
const maxTimerMs = 2 ** 31 - 1

/**
 * Throws `Error` for a periodic worker whose name is repeated or does not begin with the area, or whose interval is
 * impossible.
 */
export function requireSoundWorkers(area: string, workers: readonly Worker[]): void {
  const names = new Set<string>()
  for (const { everyMs, name } of workers) {
    const fault = names.has(name)
      ? 'is declared twice; rename one, because each has the lease of its name'
      : workerFault(area, name, everyMs)
    if (fault !== undefined) throw new Error(areaFault(area, 'workers', `${quoted(name)} ${fault}`))
    names.add(name)
  }
}

function workerFault(area: string, name: string, everyMs: number): string | undefined {
  if (!name.startsWith(`${area}.`)) return `must be named "${area}.<name>"; rename it`
  const isInterval = Number.isInteger(everyMs) && everyMs >= 1 && everyMs <= maxTimerMs
  return isInterval ? undefined : `has the interval ${everyMs}; give everyMs 1 to ${maxTimerMs} milliseconds`
}

/** Throws if `member` of an area's declaration names an operation that the area does not have. */
export function requireKnownOperations(
  area: string,
  member: 'forms' | 'scopes',
  named: readonly string[],
  routes: readonly BoundRoute[],
): void {
  const known = new Set(routes.map(({ route }) => route.operationId))
  const unknown = named.find(operation => !known.has(operation))
  if (unknown === undefined) return
  throw new Error(areaFault(area, member, `the area has no operation ${quoted(unknown)}; name one of its document`))
}
