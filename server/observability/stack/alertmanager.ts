import type { AlertSink, SentAlert } from '../../../domain/observability/stacks/alert-sink.ts'
import { workspaceLabel } from '../../../domain/observability/stacks/queries/workspace-label.ts'
import type { MemberClient } from './member-client.ts'

/** The longest time of a request, in milliseconds. */
const timeoutMs = 10_000

/** Sends alerts to the API v2 of Alertmanager, with the label of their workspace unless it keeps tenants apart. */
export class Alertmanager implements AlertSink {
  readonly #client: MemberClient

  constructor(client: MemberClient) {
    this.#client = client
  }

  async send(workspace: string, alerts: readonly SentAlert[], signal: AbortSignal): Promise<void> {
    const own = this.#client.member.hasTenants ? {} : { [workspaceLabel]: workspace }
    const labelled = alerts.map(alert => ({ ...alert, labels: { ...alert.labels, ...own } }))
    const { status } = await this.#client.send({
      path: '/api/v2/alerts',
      workspace,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new TextEncoder().encode(JSON.stringify(labelled)),
      timeoutMs,
      signal,
    })
    if (status < 200 || status >= 300) throw this.#client.unavailable(`answers with status ${status}`)
  }
}
