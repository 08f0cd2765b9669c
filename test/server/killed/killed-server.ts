import { enableCompileCache, flushCompileCache } from 'node:module'
import type { StorePlace } from '../../../server/platform-store.ts'

enableCompileCache()

/**
 * This program serves the taxonomy with the depot over a store, and prints a line when it is ready. Its arguments are
 * the place of the store as JSON, and the port.
 */

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
// A killed process cannot write the compile cache at its end.
flushCompileCache()
