/** Where a message of OTLP has attributes, by the numbers and the JSON names of its fields. */
export interface OtlpShape {
  /** The field with the attributes of the message, whose items the platform labels. */
  readonly attributes?: number
  /** Whether the message is one of the items that are counted: a point, a record or a span. */
  readonly isItem?: boolean
  /** The fields with messages that have attributes inside. */
  readonly fields?: readonly { readonly number: number; readonly name: string; readonly shape: OtlpShape }[]
}

const resource = { number: 1, name: 'resource', shape: { attributes: 1 } } as const

const field = (number: number, name: string, shape: OtlpShape) => ({ number, name, shape })

const points = (number: number, name: string, attributes: number) =>
  field(number, name, { fields: [field(1, 'dataPoints', { attributes, isItem: true })] })

const metric: OtlpShape = {
  fields: [
    points(5, 'gauge', 7),
    points(7, 'sum', 7),
    points(9, 'histogram', 9),
    points(10, 'exponentialHistogram', 1),
    points(11, 'summary', 7),
  ],
}

/** A request of one signal: items are labelled, or resources alone. */
const request = (resources: string, scopes: string, items: string, item: OtlpShape): OtlpShape => ({
  fields: [field(1, resources, { fields: [resource, field(2, scopes, { fields: [field(2, items, item)] })] })],
})

/**
 * The requests of exporters (opentelemetry/proto/collector). The points of metrics are labelled beside their resources,
 * because stores make labels of the attributes of points, and of few attributes of resources.
 */
export const otlpShapes = {
  METRICS: request('resourceMetrics', 'scopeMetrics', 'metrics', metric),
  LOGS: request('resourceLogs', 'scopeLogs', 'logRecords', { isItem: true }),
  TRACES: request('resourceSpans', 'scopeSpans', 'spans', { isItem: true }),
} as const
