import { enableCompileCache, flushCompileCache } from 'node:module'

// `ninefold serve` has the same cache; without the cache, each restart would compile everything again.
enableCompileCache()
const [{ readConfig }, { openIam }, { serve }, { declaredSettings }, { areasWithMachines }] = await Promise.all([
  import('../../../../../server/config.ts'),
  import('../../../../../server/iam/open.ts'),
  import('../../../../../server/serve.ts'),
  import('../../../../../server/settings/declarations.ts'),
  import('../machine-area.ts'),
])

/** This program serves the platform as `ninefold serve` does, with machines in place of compute. */

const config = readConfig({ file: undefined, environment: process.env }, declaredSettings(areasWithMachines))
const { greeting } = await serve(config, areasWithMachines, openIam)
for (const line of greeting) console.log(line)
flushCompileCache()
