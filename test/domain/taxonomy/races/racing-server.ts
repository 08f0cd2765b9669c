import type { StorePlace } from '../../../../server/platform-store.ts'
import { serve } from '../../../../server/serve.ts'
import { testAccess } from '../../../server/access/test-access.ts'
import { testAreas } from '../areas.ts'

/**
 * This program serves the taxonomy and the depot, prints its URL, and ends when its standard input ends. Its argument
 * is the place of the store as JSON.
 */

const [placeText = ''] = process.argv.slice(2)
const place: StorePlace = JSON.parse(placeText)
const http = { host: '127.0.0.1', port: 0, isPortOpen: false }
const server = await serve({ baseUrl: undefined, ...place, http }, testAreas(), testAccess)
console.log(server.url)
process.stdin.on('end', () => void server.close()).resume()
