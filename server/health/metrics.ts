import type { Backlog } from './backlog.ts'
import type { Meters } from '../meters/meters.ts'
import { samplesBy, type Distribution, type Sample } from '../meters/samples.ts'

/** The sources of the metrics. */
export interface Sources {
  readonly meters: Meters
  /** Returns the number of running calls, of which `maxInWork` is the limit. */
  readonly inWork: () => number
  readonly maxInWork: number
  /** Returns the number of requests that wait for a turn. */
  readonly waiting: () => number
  /** Returns the number of open connections. */
  readonly connections: () => number
  readonly backlog: Backlog
  /** The metrics of the areas. */
  readonly areas: readonly Metric[]
}

/** A metric as data. The values of its labels come from fixed tables, so the number of series is bounded. */
export type Metric = {
  readonly name: string
  readonly help: string
  readonly labels?: readonly string[]
} & (
  | { readonly kind: 'counter'; readonly read: () => readonly Sample[] }
  | { readonly kind: 'gauge'; readonly read: () => number }
  | { readonly kind: 'histogram'; readonly read: () => readonly Distribution[] }
)

/** Returns all metrics of the server and of its areas. */
export function metricsOf(sources: Sources): readonly Metric[] {
  return [...callMetrics(sources), ...storeMetrics(sources), ...workMetrics(sources), ...sources.areas]
}

const callMetrics = ({ meters, inWork, maxInWork, waiting, connections }: Sources): readonly Metric[] => [
  {
    kind: 'counter',
    name: 'ninefold_http_requests_total',
    help: 'Calls by operation and google.rpc code.',
    labels: ['area', 'operation', 'code'],
    read: () => meters.calls.counts(),
  },
  {
    kind: 'histogram',
    name: 'ninefold_http_request_seconds',
    help: 'How long calls took until their answer was complete.',
    labels: ['area', 'operation'],
    read: () => meters.calls.durations(),
  },
  {
    kind: 'counter',
    name: 'ninefold_http_refused_total',
    help: 'Requests and connections that were refused or cut before or beside any call.',
    labels: ['cause'],
    read: () => samplesBy('cause', meters.refusals),
  },
  {
    kind: 'counter',
    name: 'ninefold_iam_unknown_tokens_total',
    help: 'Tokens that callers revoked and that were unknown or had ended.',
    read: () => [{ labels: {}, value: meters.unknownTokens }],
  },
  { kind: 'gauge', name: 'ninefold_http_in_work', help: 'Calls that are being worked on.', read: inWork },
  {
    kind: 'gauge',
    name: 'ninefold_http_in_work_limit',
    help: 'Calls that may be worked on at a time.',
    read: () => maxInWork,
  },
  { kind: 'gauge', name: 'ninefold_http_waiting', help: 'Requests that wait for a turn.', read: waiting },
  { kind: 'gauge', name: 'ninefold_http_connections', help: 'Open connections.', read: connections },
]

const storeMetrics = ({ backlog, meters: { store } }: Sources): readonly Metric[] => [
  {
    kind: 'gauge',
    name: 'ninefold_store_up',
    help: 'Whether the store answers.',
    read: () => Number(backlog.isStoreUp),
  },
  {
    kind: 'counter',
    name: 'ninefold_store_transactions_total',
    help: 'Transactions by how they ended.',
    labels: ['outcome'],
    read: () => samplesBy('outcome', store.ends),
  },
  {
    kind: 'counter',
    name: 'ninefold_store_retries_total',
    help: 'Runs of transactions after a conflict or a busy store.',
    read: () => [{ labels: {}, value: store.retries }],
  },
  {
    kind: 'gauge',
    name: 'ninefold_store_waiting',
    help: 'Transactions that wait for the store.',
    read: () => store.waiting,
  },
  {
    kind: 'histogram',
    name: 'ninefold_store_wait_seconds',
    help: 'How long transactions waited for the store.',
    read: () => [{ labels: {}, buckets: store.waits }],
  },
  {
    kind: 'histogram',
    name: 'ninefold_store_transaction_seconds',
    help: 'How long transactions took, with their wait.',
    read: () => [{ labels: {}, buckets: store.durations }],
  },
]

const workMetrics = ({ meters: { steps }, backlog }: Sources): readonly Metric[] => [
  {
    kind: 'gauge',
    name: 'ninefold_work_pending',
    help: 'Pieces of durable work that wait for their turn.',
    read: () => backlog.pending,
  },
  {
    kind: 'gauge',
    name: 'ninefold_work_running',
    help: 'Pieces of durable work that a process holds.',
    read: () => backlog.running,
  },
  {
    kind: 'gauge',
    name: 'ninefold_work_oldest_pending_seconds',
    help: 'Age of the oldest piece of durable work that waits.',
    read: () => backlog.oldestPendingSeconds,
  },
  {
    kind: 'counter',
    name: 'ninefold_work_steps_total',
    help: 'Steps of durable work by how they ended.',
    labels: ['kind', 'outcome'],
    read: () => steps.counts(),
  },
  {
    kind: 'histogram',
    name: 'ninefold_work_step_seconds',
    help: 'How long steps of durable work took.',
    labels: ['kind'],
    read: () => steps.durations(),
  },
]
