import type { ObservabilityArea } from '../../output/observability/area.ts'
import type { PageTokens } from '../../runtime/page-token.ts'
import type { Parts } from '../ports/area-parts.ts'
import type { Mailer } from '../ports/mailer.ts'
import type { Resolve } from '../resources/look-up.ts'
import type { NativeLease } from '../resources/native-lease.ts'
import type { IngestionStatuses } from './ingestion-configs/ingestion-status.ts'
import type { LogEngine } from './logs/log-engine.ts'
import type { WaitingTails } from './log-calls/waiting-tails.ts'
import type { MetricEngine } from './metrics/metric-engine.ts'
import type { Stacks } from './stacks/stack.ts'
import type { TraceEngine } from './traces/trace-engine.ts'
import type { RunningQueries } from './metric-calls/running-queries.ts'
import type { AlertCounts } from './alert-work/alert-counts.ts'
import type { OutboundCalls } from './outbound/outbound-calls.ts'
import type { ScrapeCounts } from './scraping/scrape-counts.ts'
import type { LimitSettings } from './quotas/limits.ts'
import type { RecentRetentions } from './retention/recent-retentions.ts'
import type { SinkCounts } from './sink-work/sink-counts.ts'
import type { SinkLogs } from './sinks/sink-lines.ts'

/** The parts that the code of the area uses. */
export interface ObservabilityEnvironment extends Parts<ObservabilityArea, never, 'iam' | 'storage' | 'vault'> {
  /** Looks up a resource of any area. */
  readonly resolve: Resolve
  /** The limits of quotas that the operator has set. */
  readonly limits: LimitSettings
  /** The lease of the server that serves the telemetry of the native engine. */
  readonly lease: NativeLease
  /** The engines whose telemetry programs of others store. */
  readonly stacks: Stacks
  /** The time series of all workspaces. */
  readonly metrics: MetricEngine
  /** The traces of all workspaces. */
  readonly traces: TraceEngine
  /** The log entries of all workspaces. */
  readonly logs: LogEngine
  /** The callers that follow logs on this server. */
  readonly tails: WaitingTails
  /** Signs and opens page tokens and cursors. */
  readonly pageTokens: PageTokens
  /** The queries that run on this server. */
  readonly queries: RunningQueries
  /** Requests to addresses that callers have named. */
  readonly outbound: OutboundCalls
  /** The retentions of workspaces that write often. */
  readonly retentions: RecentRetentions
  /** What came in through ingestion configs. */
  readonly statuses: IngestionStatuses
  /** Sends mail; without a mail server, alert rules have no receivers of e-mail. */
  readonly mailer: Mailer
  /** Returns the public address of the platform, without a slash at its end. */
  readonly baseUrl: () => string
  /** Counts the evaluations and notifications of alert rules. */
  readonly alertCounts: AlertCounts
  /** The log entries of all workspaces, as sinks read them. */
  readonly sinkLogs: SinkLogs
  /** Counts what log sinks export. */
  readonly sinkCounts: SinkCounts
  /** Counts the scrapes of targets. */
  readonly scrapeCounts: ScrapeCounts
  /** Logs work that failed and is tried again; `subject` is the type and the id of a resource. */
  readonly failed: (error: unknown, subject: string) => void
  /** Returns the address of `/ingest` for senders, without a slash at its end. */
  readonly ingestBaseUrl: () => string
}
