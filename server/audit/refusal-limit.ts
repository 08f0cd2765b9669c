import type { Activity } from '../../domain/ports/audit.ts'
import { platform } from '../../domain/ports/access.ts'

/** The number of refusals of one caller that are recorded one by one within `windowMs` (conventions §13). */
const limit = 60
const windowMs = 60_000

/** The number of callers that are remembered; the caller with the oldest refusal is forgotten first. */
const maxCallers = 10_000

/** Refusals that are counted together, and the time of the first of them. */
interface Counted {
  readonly activity: Activity
  readonly since: number
}

interface Caller {
  /** The times of the refusals that were recorded one by one within the window, oldest first. */
  readonly times: number[]
  counted: Counted | undefined
}

/**
 * Bounds the activities that refused calls write: of one caller, 60 refusals a minute are recorded one by one. Further
 * refusals are counted, and one activity a minute has their number. All times are in milliseconds of a clock that is
 * never set back.
 */
export class RefusalLimit {
  readonly #callers = new Map<string, Caller>()

  /** The number of remembered callers. */
  get callers(): number {
    return this.#callers.size
  }

  /**
   * Returns the activities to record for a refusal: nothing if the refusal is counted; otherwise the refusal itself, and
   * the count of a caller that is forgotten for the new caller.
   */
  admit(activity: Activity, now: number): readonly Activity[] {
    const key = keyOf(activity)
    const caller = this.#callers.get(key) ?? { times: [], counted: undefined }
    this.#callers.delete(key)
    this.#callers.set(key, caller)
    leave(caller, now)
    if (caller.times.length >= limit) {
      caller.counted = added(caller.counted, activity, now)
      return []
    }
    caller.times.push(now)
    return [activity, ...this.#forgotten()]
  }

  /** Returns the activities of counts that are a minute old, and with `all` of all counts; forgets these counts. */
  due(now: number, all = false): readonly Activity[] {
    const due: Activity[] = []
    for (const [key, caller] of this.#callers) {
      const { counted } = caller
      leave(caller, now)
      if (counted !== undefined && (all || now - counted.since >= windowMs)) {
        due.push(counted.activity)
        caller.counted = undefined
      }
      if (caller.counted === undefined && caller.times.length === 0) this.#callers.delete(key)
    }
    return due
  }

  /** Forgets one caller if there are too many callers; returns the activity with the count of that caller. */
  #forgotten(): readonly Activity[] {
    const [oldest] = this.#callers
    if (oldest === undefined || this.#callers.size <= maxCallers) return []
    const [key, { counted }] = oldest
    this.#callers.delete(key)
    return counted === undefined ? [] : [counted.activity]
  }
}

/** Returns the caller of a refusal. A failed sign-in has no caller, so the user whom the sign-in names stands in. */
const keyOf = ({ category, principalId, resourceId }: Activity): string => `${category} ${principalId || resourceId}`

function leave({ times }: Caller, now: number): void {
  while (times[0] !== undefined && times[0] <= now - windowMs) times.shift()
}

/** The members of an activity that are empty in a count, unless they are equal in all counted refusals. */
const varying = ['area', 'action', 'permission', 'resourceType', 'resourceId', 'clientAddress'] as const

function added(counted: Counted | undefined, activity: Activity, now: number): Counted {
  if (counted === undefined) return { since: now, activity: { ...activity, ...ofNoCall, count: 1 } }
  const { activity: before, since } = counted
  const isOneScope = before.scope.type === activity.scope.type && before.scope.id === activity.scope.id
  return {
    since,
    activity: {
      ...before,
      ...Object.fromEntries(varying.map(name => [name, before[name] === activity[name] ? before[name] : ''])),
      scope: isOneScope ? before.scope : platform,
      count: (before.count ?? 1) + 1,
    },
  }
}

const ofNoCall = { requestId: '', traceId: '' } as const
