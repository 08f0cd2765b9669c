import { enableCompileCache, flushCompileCache } from 'node:module'

// `ninefold serve` has the same cache; without the cache, each restart would compile everything again.
enableCompileCache()
const [{ areas }, { readConfig }, { openIam }, { serve }, { declaredSettings }, { withSchedulesAhead }] =
  await Promise.all([
    import('../../../../server/areas.ts'),
    import('../../../../server/config.ts'),
    import('../../../../server/iam/open.ts'),
    import('../../../../server/serve.ts'),
    import('../../../../server/settings/declarations.ts'),
    import('../schedules-ahead.ts'),
  ])

/** This program serves the platform as `ninefold serve` does, with schedules of retention that are due at once. */

const config = readConfig({ file: undefined, environment: process.env }, declaredSettings(areas))
const served = areas.map(area => (area.domain.name === 'registry' ? withSchedulesAhead(area) : area))
const { greeting } = await serve(config, served, openIam)
for (const line of greeting) console.log(line)
flushCompileCache()
