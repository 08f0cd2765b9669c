import {
  base64,
  double,
  fixed64,
  flag,
  integerText,
  nanoseconds,
  sfixed64,
  small,
  text,
  type Kind,
} from '../wire/kinds.ts'
import { many, MessageKind, one, type Message } from '../wire/message.ts'

/** A value of an attribute (opentelemetry/proto/common/v1); one member is set, or none for an empty value. */
export interface AnyValue {
  readonly stringValue: string | undefined
  readonly boolValue: boolean | undefined
  /** The decimal form of the integer. */
  readonly intValue: string | undefined
  readonly doubleValue: number | undefined
  readonly arrayValue: { readonly values: Iterable<AnyValue> } | undefined
  readonly kvlistValue: { readonly values: Iterable<KeyValue> } | undefined
  /** The bytes as base64. */
  readonly bytesValue: string | undefined
}

/** An attribute. */
export interface KeyValue {
  readonly key: string | undefined
  readonly value: AnyValue | undefined
}

/** The kind of attributes. It is read through functions, because values contain values. */
const keyValue: Kind<KeyValue> = {
  wire: 2,
  fromProtobuf: reader => attribute.fromProtobuf(reader),
  fromJson: (value, name) => attribute.fromJson(value, name),
}

const anyValue: Kind<AnyValue> = {
  wire: 2,
  fromProtobuf: reader => attributeValue.fromProtobuf(reader),
  fromJson: (value, name) => attributeValue.fromJson(value, name),
}

const attributeValue = new MessageKind({
  stringValue: one(1, text),
  boolValue: one(2, flag),
  intValue: one(3, integerText),
  doubleValue: one(4, double),
  arrayValue: one(5, new MessageKind({ values: many(1, anyValue) })),
  kvlistValue: one(6, new MessageKind({ values: many(1, keyValue) })),
  bytesValue: one(7, base64),
})

const attribute = new MessageKind({ key: one(1, text), value: one(2, anyValue) })

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
  resource: one(1, new MessageKind({ attributes: many(1, keyValue) })),
  scopeMetrics: many(2, new MessageKind({ metrics: many(2, metric) })),
})

/** A request of an exporter of metrics (opentelemetry/proto/collector/metrics/v1). */
export const exportMetricsRequest = new MessageKind({ resourceMetrics: many(1, resourceMetrics) })

type Read<Of> = Of extends Kind<infer Value> ? Value : never

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
