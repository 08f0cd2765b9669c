import { serve } from '../../../server/serve.ts'
import { testAccess } from '../access/test-access.ts'
import { depotArea } from './depot.ts'

/** This program serves a depot over the given data folder, and prints the address of the server. */

const [, , dataDir = ''] = process.argv
const http = { host: '127.0.0.1', port: 0, isPortOpen: false }
const server = await serve({ baseUrl: undefined, dataDir, http }, [depotArea()], testAccess)
console.log(`listens on ${server.url}`)
process.once('SIGTERM', () => void server.close())
