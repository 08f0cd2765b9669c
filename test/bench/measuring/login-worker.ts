import { parentPort, workerData } from 'node:worker_threads'
import { administrator, administratorFile } from '../../server/access/sign-in.ts'
import { areas } from '../../../server/areas.ts'
import { openIam } from '../../../server/iam/open.ts'
import { serve } from '../../../server/serve.ts'
import { unthrottled } from '../../server/iam/unthrottled.ts'

/**
 * This program is a server in a thread of its own, over the store in the given folder, without the throttle of
 * sign-ins. The program posts its URL first, and ends at a message.
 */

const port = parentPort
if (port === null) throw new Error('this file is a worker of the bench')

const dataDir = String(workerData)
const config = {
  baseUrl: undefined,
  dataDir,
  http: { host: '127.0.0.1', port: 0, isPortOpen: false },
  given: unthrottled,
  bootstrap: { adminEmail: administrator.email, adminPasswordFile: administratorFile(dataDir) },
}
const server = await serve(config, areas, openIam)
port.postMessage(server.url)
port.once('message', async () => {
  await server.close()
  port.close()
})
