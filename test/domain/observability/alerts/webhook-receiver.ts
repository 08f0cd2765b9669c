import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { WebhookBody } from '../../../../domain/observability/notifications/webhook-body.ts'
import type { Later } from '../../../server/store/harness.ts'

/** A notification that arrived. */
export interface Arrival {
  /** The path of the request. */
  readonly path: string
  /** The id in the header `X-Ninefold-Notification`. */
  readonly id: string
  readonly text: string
  readonly status: WebhookBody['status']
  /** The name of the rule. */
  readonly rule: string
}

/** A receiver of webhooks on loopback. */
export interface WebhookReceiver {
  /** The address, without a path. */
  readonly url: string
  /** The notifications in the order of their arrival. */
  readonly arrivals: readonly Arrival[]
}

/** Starts a receiver, which answers after at most `longestMs` milliseconds; `later` ends it. */
export async function webhookReceiver(later: Later, longestMs = 0): Promise<WebhookReceiver> {
  const arrivals: Arrival[] = []
  const server = createServer((request: IncomingMessage, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => void parts.push(part))
    request.on('end', () => {
      const text = Buffer.concat(parts).toString('utf8')
      const { groupLabels, status }: WebhookBody = JSON.parse(text)
      const id = String(request.headers['x-ninefold-notification'])
      arrivals.push({ path: request.url ?? '', id, text, status, rule: groupLabels['alertname'] ?? '' })
      setTimeout(() => response.end(), Math.random() * longestMs)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  later(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrivals }
}
