import type { Labels } from '../metrics/samples.ts'

/** An alert in the form of the API v2 of Alertmanager. */
export interface SentAlert {
  readonly labels: Labels
  readonly annotations: Labels
  /** RFC 3339 texts. An alert whose end is past is resolved. */
  readonly startsAt: string
  readonly endsAt: string
  readonly generatorURL: string
}

/** Takes the alerts of workspaces, and tells people about them. Rejects with ENGINE_UNAVAILABLE. */
export interface AlertSink {
  send(workspace: string, alerts: readonly SentAlert[], signal: AbortSignal): Promise<void>
}
