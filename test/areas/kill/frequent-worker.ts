import type { Worker } from '../../../domain/ports/workers.ts'
import type { AreaModule } from '../../../server/area.ts'
import type { PlatformServices } from '../../../server/area-parts.ts'

/** The time between two runs of a frequent worker, in milliseconds. */
const everyMs = 100

/** Returns an area whose worker with the given name runs ten times a second. */
export const withFrequentWorker = (area: AreaModule, name: string): AreaModule =>
  frequent(area, worker => worker.name === name)

/** Returns an area of which each worker runs ten times a second. */
export const withFrequentWorkers = (area: AreaModule): AreaModule => frequent(area, () => true)

const frequent = (area: AreaModule, isFrequent: (worker: Worker) => boolean): AreaModule => ({
  ...area,
  mount(parts: PlatformServices) {
    const mounted = area.mount(parts)
    return {
      ...mounted,
      workers: mounted.workers.map(worker => (isFrequent(worker) ? { ...worker, everyMs } : worker)),
    }
  },
})
