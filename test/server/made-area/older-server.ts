import { enableCompileCache, flushCompileCache } from 'node:module'
import type { StorePlace } from '../../../server/platform-store.ts'

enableCompileCache()

/**
 * This program serves the areas of `birthAreas`, and kills itself in the transaction in which the hook of the yard runs
 * for the n-th workspace. Its arguments are the place of the store as JSON, and n.
 */

const [placeText = '', last = ''] = process.argv.slice(2)
const place: StorePlace = JSON.parse(placeText)

const [{ serve }, { openIam }, { birthAreas }] = await Promise.all([
  import('../../../server/serve.ts'),
  import('../../../server/iam/open.ts'),
  import('./birth-areas.ts'),
])
let told = 0
const areas = birthAreas(() => {
  told += 1
  if (told === Number(last)) process.kill(process.pid, 'SIGKILL')
})
await serve({ baseUrl: undefined, ...place, http: { host: '127.0.0.1', port: 0, isPortOpen: false } }, areas, openIam)
flushCompileCache()
