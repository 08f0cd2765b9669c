import { AsyncLocalStorage } from 'node:async_hooks'
import { enableCompileCache, flushCompileCache } from 'node:module'

// `ninefold serve` has the same cache; without the cache, each restart would compile everything again.
enableCompileCache()
const [{ areas }, { readConfig }, { openIam }, { serve }, { declaredSettings }, { withFrequentWorker }] =
  await Promise.all([
    import('../../../../../server/areas.ts'),
    import('../../../../../server/config.ts'),
    import('../../../../../server/iam/open.ts'),
    import('../../../../../server/serve.ts'),
    import('../../../../../server/settings/declarations.ts'),
    import('../../../../areas/kill/frequent-worker.ts'),
  ])

/**
 * This program serves the platform as `ninefold serve` does, with a worker of retention that runs ten times a second by a
 * clock that is a day ahead: a policy is due as soon as its next purge is stored.
 */

const worker = 'observability.retention'
const aheadMs = 86_400_000
const purging = new AsyncLocalStorage<true>()

const config = readConfig({ file: undefined, environment: process.env }, declaredSettings(areas))
const served = areas.map((area): typeof area => {
  if (area.domain.name !== 'observability') return area
  const frequent = withFrequentWorker(area, worker)
  return {
    ...frequent,
    mount(parts) {
      const now = () => parts.clock.now() + (purging.getStore() ? aheadMs : 0)
      const mounted = frequent.mount({ ...parts, clock: { ...parts.clock, now, newId: () => parts.clock.newId() } })
      return {
        ...mounted,
        workers: mounted.workers.map(each =>
          each.name === worker ? { ...each, run: turn => purging.run(true, () => each.run(turn)) } : each,
        ),
      }
    },
  }
})
const { greeting } = await serve(config, served, openIam)
for (const line of greeting) console.log(line)
flushCompileCache()
