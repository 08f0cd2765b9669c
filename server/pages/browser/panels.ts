import type { Unit } from './scales.ts'

/** A query in PromQL, and the name of its lines: a fixed name, or the value of a label. */
export interface PanelQuery {
  readonly query: string
  readonly name?: string
  readonly label?: string
  /** The name of a line whose label is empty. */
  readonly unlabelled?: string
}

/** A chart with the lines of some queries. */
export interface Panel {
  readonly title: string
  readonly unit: Unit
  readonly queries: readonly PanelQuery[]
  /** Whether the chart is hidden as long as it has no line, because it shows what many platforms do not have. */
  readonly isOptional?: true
}

/** Charts under a heading. */
export interface Section {
  readonly title: string
  readonly panels: readonly Panel[]
}

/** Returns the query for a quantile of a histogram, for each value of the label `by`. */
const quantile = (of: number, histogram: string, by?: string): string =>
  `histogram_quantile(${of}, sum by (le${by === undefined ? '' : `, ${by}`}) (rate(${histogram}_bucket[$window])))`

/** Returns the queries for three quantiles of a histogram. */
const quantiles = (histogram: string): readonly PanelQuery[] =>
  [0.5, 0.95, 0.99].map(of => ({ query: quantile(of, histogram), name: `${of * 100} %` }))

/** Returns the query for the rate of a counter, for each value of the label `by`. */
const rate = (counter: string, by: string): string => `sum by (${by}) (rate(${counter}[$window]))`

const total = (counter: string): string => `sum(rate(${counter}[$window]))`

/** Returns the query for the mean of a gauge, which ends where its samples end. */
const mean = (gauge: string): string => `sum(avg_over_time(${gauge}[$window]))`

/** The name of requests that belong to no operation. */
const unmatched = 'no operation'

/** All charts of the page. */
export const sections: readonly Section[] = [
  {
    title: 'Requests',
    panels: [
      {
        title: 'Requests by area',
        unit: 'perSecond',
        queries: [{ query: rate('platform_http_requests_total', 'area'), label: 'area', unlabelled: unmatched }],
      },
      {
        title: 'Time of 95 % of requests by area',
        unit: 'seconds',
        queries: [
          { query: quantile(0.95, 'platform_http_request_seconds', 'area'), label: 'area', unlabelled: unmatched },
        ],
      },
      { title: 'Time of requests', unit: 'seconds', queries: quantiles('platform_http_request_seconds') },
      {
        title: 'Errors by code',
        unit: 'perSecond',
        queries: [{ query: rate('platform_http_requests_total{code!="OK"}', 'code'), label: 'code' }],
      },
      {
        title: 'Open requests and connections',
        unit: 'count',
        queries: [
          { query: mean('platform_http_in_work'), name: 'in work' },
          { query: mean('platform_http_waiting'), name: 'waiting' },
          { query: mean('platform_http_connections'), name: 'connections' },
        ],
      },
      {
        title: 'Refused before a request',
        unit: 'perSecond',
        queries: [{ query: `${rate('platform_http_refused_total', 'cause')} > 0`, label: 'cause' }],
        isOptional: true,
      },
    ],
  },
  {
    title: 'Process',
    panels: [
      {
        title: 'Delay of the event loop',
        unit: 'seconds',
        queries: [
          { query: mean('platform_event_loop_delay_median_seconds'), name: 'median' },
          { query: mean('platform_event_loop_delay_p99_seconds'), name: '99 %' },
          { query: 'max(max_over_time(platform_event_loop_delay_max_seconds[$window]))', name: 'longest' },
        ],
      },
      {
        title: 'Event loop and CPU',
        unit: 'share',
        queries: [
          { query: mean('platform_event_loop_utilization'), name: 'event loop busy' },
          { query: total('platform_process_cpu_seconds_total'), name: 'CPU, 100 % for each core' },
        ],
      },
      {
        title: 'Memory',
        unit: 'bytes',
        queries: [
          { query: mean('platform_process_resident_bytes'), name: 'resident' },
          { query: mean('platform_process_heap_bytes'), name: 'heap' },
          { query: mean('platform_process_external_bytes'), name: 'buffers' },
        ],
      },
    ],
  },
  {
    title: 'Store and operations',
    panels: [
      {
        title: 'Transactions by outcome',
        unit: 'perSecond',
        queries: [{ query: rate('platform_store_transactions_total', 'outcome'), label: 'outcome' }],
      },
      { title: 'Time of transactions', unit: 'seconds', queries: quantiles('platform_store_transaction_seconds') },
      {
        title: 'Durable operations',
        unit: 'count',
        queries: [
          { query: mean('platform_work_pending'), name: 'pending' },
          { query: mean('platform_work_running'), name: 'running' },
        ],
      },
      {
        title: 'Steps of operations by outcome',
        unit: 'perSecond',
        queries: [{ query: rate('platform_work_steps_total', 'outcome'), label: 'outcome' }],
        isOptional: true,
      },
    ],
  },
  {
    title: 'Telemetry',
    panels: [
      {
        title: 'Written telemetry',
        unit: 'perSecond',
        queries: [
          { query: total('platform_observability_samples_accepted_total'), name: 'samples' },
          { query: total('platform_observability_log_entries_accepted_total'), name: 'log entries' },
          { query: total('platform_observability_spans_accepted_total'), name: 'spans' },
        ],
      },
      {
        title: 'Queries',
        unit: 'perSecond',
        queries: [
          { query: total('platform_observability_reads_total'), name: 'metrics' },
          { query: total('platform_observability_log_reads_total'), name: 'logs' },
          { query: total('platform_observability_trace_reads_total'), name: 'traces' },
        ],
      },
      {
        title: 'Refused and dropped telemetry',
        unit: 'perSecond',
        queries: [
          { query: `${total('platform_observability_samples_rejected_total')} > 0`, name: 'samples' },
          { query: `${total('platform_observability_log_entries_rejected_total')} > 0`, name: 'log entries' },
          { query: `${total('platform_observability_spans_rejected_total')} > 0`, name: 'spans' },
          { query: `${total('platform_observability_dropped_total')} > 0`, name: 'dropped' },
        ],
        isOptional: true,
      },
      {
        title: 'Alert rules and scrapes',
        unit: 'perSecond',
        queries: [
          { query: `${total('platform_observability_alert_evaluations_total')} > 0`, name: 'evaluations' },
          { query: `${total('platform_observability_alert_notifications_total')} > 0`, name: 'notifications' },
          { query: `${total('platform_observability_scrapes_total')} > 0`, name: 'scrapes' },
        ],
        isOptional: true,
      },
    ],
  },
  {
    title: 'Resources',
    panels: [
      {
        title: 'Frames of the network',
        unit: 'perSecond',
        queries: [
          { query: `${total('platform_network_frames_received_total')} > 0`, name: 'received' },
          { query: `${total('platform_network_frames_delivered_total')} > 0`, name: 'delivered' },
          { query: `${total('platform_network_frames_dropped_total')} > 0`, name: 'dropped' },
        ],
        isOptional: true,
      },
      {
        title: 'Running machines of the workspace platform',
        unit: 'count',
        queries: [{ query: mean('platform_compute_vm_up'), name: 'machines' }],
        isOptional: true,
      },
      {
        title: 'Stored bytes of the workspace platform',
        unit: 'bytes',
        queries: [
          { query: mean('platform_storage_bucket_bytes'), name: 'buckets' },
          { query: mean('platform_registry_repository_bytes'), name: 'repositories' },
        ],
        isOptional: true,
      },
    ],
  },
]
