import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json, text } from 'node:stream/consumers'

const reportType = 'application/vnd.security.vulnerability.report; version=1.1'

/** A request of a scan, as the adapter received it. */
export interface ReceivedScan {
  readonly authorization: string | undefined
  readonly contentType: string | undefined
  readonly registry: { readonly url: string; readonly authorization: string }
  readonly artifact: { readonly repository: string; readonly digest: string; readonly mime_type: string }
}

/** What the adapter does with a scan. */
export interface AdapterConduct {
  /** The status of the answer to the scan, 202 by default, and its body. */
  readonly accept?: { readonly status: number; readonly body: string }
  /** The number of times that the report is not there yet, and its header `Refresh-After`. */
  readonly pending?: { readonly times: number; readonly after: string }
  /** The status and the body of the report. */
  readonly report?: { readonly status: number; readonly body: string; readonly location?: string }
  /** The body of the metadata. */
  readonly metadata?: string
  /** Whether the connection of the report ends amid the body. */
  readonly cutsOff?: boolean
  /** Whether the adapter does not pull what it is asked to scan. */
  readonly pullsNothing?: boolean
}

/** An adapter that speaks Harbor's Scanner Adapter API 1.2 over HTTP on 127.0.0.1, and pulls what it is asked to scan. */
export class HarborFixture {
  readonly received: ReceivedScan[] = []
  /** The statuses of the pulls of manifests. */
  readonly pulls: number[] = []
  conduct: AdapterConduct = {}
  #left = 0
  readonly #server = createServer((request, response) => void this.#answer(request, response))

  /** Listens on a free port, and returns the address of the adapter. */
  async listen(): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#server.listen(0, '127.0.0.1', resolve)
    await promise
    // A server on a port has an address of this form.
    const { port } = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { accept, cutsOff, metadata, pending, report } = this.conduct
    const send = (status: number, body: string, headers: Record<string, string> = {}): void =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
    if (request.url === '/api/v1/metadata') return send(200, metadata ?? metadataOf())
    if (request.method === 'POST' && request.url === '/api/v1/scan') {
      await this.#receive(request)
      this.#left = pending?.times ?? 0
      return send(accept?.status ?? 202, accept?.body ?? '{"id": "scan-1"}')
    }
    await text(request)
    if (request.url !== '/api/v1/scan/scan-1/report') return send(404, '{}')
    if (this.#left > 0) {
      this.#left -= 1
      return send(302, '', { 'refresh-after': pending?.after ?? '1', location: request.url })
    }
    if (cutsOff === true) {
      response.writeHead(200, { 'content-length': '1000' }).write('{"vulner', () => response.socket?.destroy())
      return
    }
    const { body = reportOf([]), location, status = 200 } = report ?? {}
    send(status, body, { 'content-type': reportType, ...(location !== undefined && { location }) })
  }

  async #receive(request: IncomingMessage): Promise<void> {
    const { authorization, 'content-type': contentType } = request.headers
    // The platform under test made the body; the assertions check its members.
    const body = (await json(request)) as Pick<ReceivedScan, 'artifact' | 'registry'>
    this.received.push({ authorization, contentType, ...body })
    if (this.conduct.pullsNothing === true) return
    const { artifact, registry } = body
    const at = `${registry.url}/v2/${artifact.repository}/manifests/${artifact.digest}`
    this.pulls.push((await fetch(at, { headers: { authorization: registry.authorization } })).status)
  }
}

/** Returns the metadata of an adapter that makes these types of reports. */
export const metadataOf = (types: readonly string[] = [reportType]): string =>
  JSON.stringify({
    scanner: { name: 'Fixture', vendor: 'Tests', version: '0.9.0' },
    capabilities: [{ type: 'vulnerability', consumes_mime_types: [], produces_mime_types: types }],
    properties: { 'harbor.scanner-adapter/vulnerability-database-updated-at': '2026-01-16T00:00:00Z' },
  })

/** Returns a report with these vulnerabilities. */
export const reportOf = (vulnerabilities: readonly object[]): string =>
  JSON.stringify({
    generated_at: '2026-01-16T00:00:00Z',
    scanner: { name: 'Fixture', vendor: 'Tests', version: '1.0.0' },
    severity: 'High',
    vulnerabilities,
  })
