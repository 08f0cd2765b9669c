import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../../../domain/ports/clock.ts'
import type { AreaModule } from '../../../server/area.ts'
import type { PlatformServices } from '../../../server/area-parts.ts'

/** The schedule of a policy that is due as soon as its next time is stored. */
export const dueAtOnce = '* * * * *'

/** The time by which the clock of the schedules is ahead, in milliseconds: more than the minute of `dueAtOnce`. */
const aheadMs = 61_000

/** The workers that begin what schedules ask for. */
const scheduled = ['registry.retention', 'registry.scans']

/** Returns the registry with workers of schedules whose clock is ahead, so that no test waits for a schedule. */
export const withSchedulesAhead = (area: AreaModule): AreaModule => ({
  ...area,
  mount(parts: PlatformServices) {
    const scheduling = new AsyncLocalStorage<true>()
    const clock: Clock = {
      now: () => parts.clock.now() + (scheduling.getStore() ? aheadMs : 0),
      newId: () => parts.clock.newId(),
    }
    const mounted = area.mount({ ...parts, clock })
    return {
      ...mounted,
      workers: mounted.workers.map(worker =>
        scheduled.includes(worker.name)
          ? { ...worker, run: turn => scheduling.run(true, () => worker.run(turn)) }
          : worker,
      ),
    }
  },
})
