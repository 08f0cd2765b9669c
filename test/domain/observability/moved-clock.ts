import type { AreaModule } from '../../../server/area.ts'
import { areas } from '../../../server/areas.ts'
import { createClock } from '../../../server/clock.ts'
import { withFrequentWorkers } from '../../areas/kill/frequent-worker.ts'

/** The shortest interval of alert rules in milliseconds. */
const intervalMs = 10_000

/** Returns the last millisecond before the next multiple of ten seconds: no rule has work at this time of its interval. */
const beforeTick = (): number => Math.ceil(Date.now() / intervalMs) * intervalMs - 1

/** A clock that a test moves on, in steps of the shortest interval of alert rules. It is never behind the real clock. */
export class MovedClock {
  /** The time of the clock in milliseconds since 1970. */
  now = beforeTick()

  /** A time after all samples until now, as text: the end of a series is a millisecond after its last sample. */
  get afterNow(): string {
    return new Date(this.now + 1).toISOString()
  }

  /** Moves the clock on past a tick of the rules with the shortest interval, and past the jitter of all rules. */
  next(): void {
    this.now = Math.max(this.now, beforeTick()) + intervalMs
  }
}

/** Returns all areas; observability has the clock, and workers that run ten times a second. */
export const areasWithClock = (clock: Pick<MovedClock, 'now'>): readonly AreaModule[] =>
  areas.map((area): AreaModule => {
    if (area.domain.name !== 'observability') return area
    const frequent = withFrequentWorkers(area)
    return { ...frequent, mount: parts => frequent.mount({ ...parts, clock: createClock(() => clock.now) }) }
  })
