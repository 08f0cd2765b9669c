import { double, fixed64, flag, nanoseconds, sfixed64, small, text } from '../wire/kinds.ts'
import { many, MessageKind, one, type Message } from '../wire/message.ts'
import { keyValue, resource, type Read } from './common-messages.ts'

const times = { startTimeUnixNano: one(2, nanoseconds), timeUnixNano: one(3, nanoseconds) }

const numberPoint = new MessageKind({
  ...times,
  attributes: many(7, keyValue),
  asDouble: one(4, double),
  asInt: one(6, sfixed64),
  flags: one(8, small),
})

const histogramPoint = new MessageKind({
  ...times,
  attributes: many(9, keyValue),
  count: one(4, fixed64),
  sum: one(5, double),
  bucketCounts: many(6, fixed64),
  explicitBounds: many(7, double),
  flags: one(10, small),
})

const summaryPoint = new MessageKind({
  ...times,
  attributes: many(7, keyValue),
  count: one(4, fixed64),
  sum: one(5, double),
  quantileValues: many(6, new MessageKind({ quantile: one(1, double), value: one(2, double) })),
  flags: one(8, small),
})

const temporality = one(2, small)

const metric = new MessageKind({
  name: one(1, text),
  description: one(2, text),
  unit: one(3, text),
  gauge: one(5, new MessageKind({ dataPoints: many(1, numberPoint) })),
  sum: one(
    7,
    new MessageKind({
      dataPoints: many(1, numberPoint),
      aggregationTemporality: temporality,
      isMonotonic: one(3, flag),
    }),
  ),
  histogram: one(9, new MessageKind({ dataPoints: many(1, histogramPoint), aggregationTemporality: temporality })),
  // The points of exponential histograms are counted and not read.
  exponentialHistogram: one(10, new MessageKind({ dataPoints: many(1, new MessageKind({})) })),
  summary: one(11, new MessageKind({ dataPoints: many(1, summaryPoint) })),
})

const resourceMetrics = new MessageKind({
  resource: one(1, resource),
  scopeMetrics: many(2, new MessageKind({ metrics: many(2, metric) })),
})

/** A request of an exporter of metrics (opentelemetry/proto/collector/metrics/v1). */
export const exportMetricsRequest = new MessageKind({ resourceMetrics: many(1, resourceMetrics) })

/** The metrics of a resource. */
export type ResourceMetrics = Read<typeof resourceMetrics>

/** A metric, with the points of one of its members. */
export type Metric = Read<typeof metric>

/** A point of a gauge or sum. */
export type NumberPoint = Read<typeof numberPoint>

/** A point of a histogram. */
export type HistogramPoint = Read<typeof histogramPoint>

/** A point of a summary. */
export type SummaryPoint = Read<typeof summaryPoint>

/** A request of an exporter of metrics. */
export type ExportMetricsRequest = Message<{ readonly resourceMetrics: ReturnType<typeof many<ResourceMetrics>> }>
