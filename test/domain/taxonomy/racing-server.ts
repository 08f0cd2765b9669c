import { serve } from '../../../server/serve.ts'
import { testAreas } from './areas.ts'

/** Serves both areas over the data folder that it is given, says where, and ends with its input. */
const [dataDir = ''] = process.argv.slice(2)
const http = { host: '127.0.0.1', port: 0, isPortOpen: false }
const server = await serve({ baseUrl: undefined, dataDir, http }, testAreas())
console.log(server.url)
process.stdin.on('end', () => void server.close()).resume()
