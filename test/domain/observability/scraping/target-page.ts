import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Later } from '../../../server/store/harness.ts'

/** A target on loopback whose page a test sets. */
export interface TargetPage {
  readonly url: string
  /** The host and the port of the target. */
  readonly instance: string
  /** The page; with a number, the target answers with this HTTP status. */
  body: string | number
  /** The media type of the page. */
  type: string
  /** The answers wait for this promise. */
  held: Promise<void>
  /** The headers of all requests in the order of their arrival. */
  readonly requests: readonly IncomingHttpHeaders[]
}

/** Starts a target; `later` ends it. */
export async function targetPage(later: Later, body: string | number = ''): Promise<TargetPage> {
  const requests: IncomingHttpHeaders[] = []
  const page = { url: '', instance: '', body, type: 'text/plain; version=0.0.4', held: Promise.resolve(), requests }
  const server = createServer(async (request, response) => {
    requests.push(request.headers)
    await page.held
    if (typeof page.body === 'number') response.writeHead(page.body).end('no page')
    else response.writeHead(200, { 'content-type': page.type }).end(page.body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  later(() => {
    server.closeAllConnections()
    server.close()
  })
  page.instance = `127.0.0.1:${(server.address() as AddressInfo).port}`
  page.url = `http://${page.instance}/metrics`
  return page
}
