import { enableCompileCache, flushCompileCache } from 'node:module'
import type { StorePlace } from '../../../server/platform-store.ts'

enableCompileCache()

/**
 * A server of the areas of `birthAreas` over the store whose place it is given as JSON. It kills itself while the yard
 * is told of the n-th workspace, within the transaction.
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
