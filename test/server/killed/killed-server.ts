import { enableCompileCache, flushCompileCache } from 'node:module'
import type { StorePlace } from '../../../server/platform-store.ts'

enableCompileCache()

/** A process that serves the taxonomy with the depot over the store whose place it is given as JSON, on the port it is given, and says so. */
const [placeText = '', port = ''] = process.argv.slice(2)
const place: StorePlace = JSON.parse(placeText)

const [{ serve }, { testAreas }, { testAccess }] = await Promise.all([
  import('../../../server/serve.ts'),
  import('../../domain/taxonomy/areas.ts'),
  import('../access/test-access.ts'),
])
const http = { host: '127.0.0.1', port: Number(port), isPortOpen: false }
const server = await serve({ baseUrl: undefined, ...place, http }, testAreas(), testAccess)
process.stdout.write(`listens on ${server.url}\n`)
// A killed process does not write the compile cache at its end.
flushCompileCache()
