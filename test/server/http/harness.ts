import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import type { AreaModule } from '../../../server/area.ts'
import type { HttpLimits } from '../../../server/http/limits.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { serve, type RunningServer } from '../../../server/serve.ts'
import { testFolder, testStoreUrl } from '../store/harness.ts'
import { testAccess } from '../access/test-access.ts'

/** The settings of a served platform that differ from the defaults. */
export interface TestSettings {
  readonly host?: string
  readonly limits?: Partial<HttpLimits>
  readonly isPublic?: boolean
  /** The address of the separate listener for health and metrics. */
  readonly health?: { readonly host: string; readonly port: number }
  readonly trustedProxies?: readonly string[]
}

/** The default time in milliseconds that a request waits for its turn, so that slow machines refuse no request. */
const patientMs = 60_000

/** Serves a platform on a free port, by default of 127.0.0.1 and with a new data folder; returns the server. */
export async function testServer(
  areas: readonly AreaModule[],
  dataDir = testFolder(),
  { health, host = '127.0.0.1', limits = {}, isPublic = false, trustedProxies = [] }: TestSettings = {},
): Promise<RunningServer> {
  const http = { host, port: 0, isPortOpen: false, limits: { waitMs: patientMs, ...limits }, trustedProxies }
  const server = await serve(
    {
      baseUrl: undefined,
      dataDir,
      http,
      metrics: { isPublic },
      ...(health !== undefined && { health }),
      ...(await testStoreUrl(onTestFinished, storeCollections(areas))),
    },
    areas,
    testAccess,
  )
  onTestFinished(() => server.close())
  return server
}

/** Sends bytes on a raw socket; returns the text that the server sends until it closes the connection. */
export function rawExchange(url: string, ...chunks: readonly (string | Uint8Array)[]): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let received = ''
    socket.setEncoding('utf8')
    socket.on('data', chunk => (received += chunk))
    socket.on('close', () => resolve(received))
    socket.on('error', error => (received === '' ? reject(error) : resolve(received)))
    for (const chunk of chunks) socket.write(chunk)
  })
}
