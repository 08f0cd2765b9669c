import type { StorePlace } from '../../../../server/platform-store.ts'
import { serve } from '../../../../server/serve.ts'
import { testAccess } from '../../../server/access/test-access.ts'
import { testAreas } from '../areas.ts'

/** Serves both areas over the store whose place it is given as JSON, says where, and ends with its input. */
const [placeText = ''] = process.argv.slice(2)
const place: StorePlace = JSON.parse(placeText)
const http = { host: '127.0.0.1', port: 0, isPortOpen: false }
const server = await serve({ baseUrl: undefined, ...place, http }, testAreas(), testAccess)
console.log(server.url)
process.stdin.on('end', () => void server.close()).resume()
