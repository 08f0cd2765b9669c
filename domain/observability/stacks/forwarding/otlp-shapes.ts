/** A field of a message of OTLP, by its number in protobuf and its name in JSON. */
export interface OtlpField {
  readonly number: number
  readonly name: string
}

/** Where a message of OTLP has attributes, by the numbers and the JSON names of its fields. */
export interface OtlpShape {
  /** The field with the attributes of the message, whose items the platform labels. */
  readonly attributes?: number
  /** Whether the message is one of the items that are counted: a point, a record or a span. */
  readonly isItem?: boolean
  /** The fields with messages that have attributes inside. */
  readonly fields?: readonly (OtlpField & { readonly shape: OtlpShape })[]
  /**
   * The other fields that are sent on: a field that the platform does not know may have attributes or labels inside,
   * such as those that earlier versions of OTLP had. Absent: all fields.
   */
  readonly others?: readonly OtlpField[]
}

const field = (number: number, name: string, shape: OtlpShape) => ({ number, name, shape })

/** Returns fields whose numbers follow each other. */
const others = (first: number, ...names: readonly string[]): readonly OtlpField[] =>
  names.map((name, at) => ({ number: first + at, name }))

const resource = field(1, 'resource', { attributes: 1 })
const schemaUrl = others(3, 'schemaUrl')

const point = (attributes: number, ...sentOn: readonly OtlpField[]): OtlpShape => ({
  attributes,
  isItem: true,
  others: [...others(2, 'startTimeUnixNano', 'timeUnixNano'), ...sentOn],
})

const numberPoint = point(7, ...others(4, 'asDouble', 'exemplars', 'asInt'), ...others(8, 'flags'))
const summaryPoint = point(7, ...others(4, 'count', 'sum', 'quantileValues'), ...others(8, 'flags'))
const histogramPoint = point(
  9,
  ...others(4, 'count', 'sum', 'bucketCounts', 'explicitBounds', 'exemplars'),
  ...others(10, 'flags', 'min', 'max'),
)
const exponentialPoint = point(
  1,
  ...others(4, 'count', 'sum', 'scale', 'zeroCount', 'positive', 'negative', 'flags', 'exemplars', 'min', 'max'),
  ...others(14, 'zeroThreshold'),
)

const points = (number: number, name: string, shape: OtlpShape, ...sentOn: readonly string[]) =>
  field(number, name, { fields: [field(1, 'dataPoints', shape)], others: others(2, ...sentOn) })

const metric: OtlpShape = {
  fields: [
    points(5, 'gauge', numberPoint),
    points(7, 'sum', numberPoint, 'aggregationTemporality', 'isMonotonic'),
    points(9, 'histogram', histogramPoint, 'aggregationTemporality'),
    points(10, 'exponentialHistogram', exponentialPoint, 'aggregationTemporality'),
    points(11, 'summary', summaryPoint),
  ],
  others: [...others(1, 'name', 'description', 'unit'), ...others(12, 'metadata')],
}

/** A request of one signal: items are labelled, or resources alone. */
function request(resources: string, scopes: string, items: string, item: OtlpShape): OtlpShape {
  const scope = { fields: [field(2, items, item)], others: [...others(1, 'scope'), ...schemaUrl] }
  const each = { fields: [resource, field(2, scopes, scope)], others: schemaUrl }
  return { fields: [field(1, resources, each)], others: [] }
}

/**
 * The requests of exporters (opentelemetry/proto/collector). The points of metrics are labelled beside their resources,
 * because stores make labels of the attributes of points, and of few attributes of resources.
 */
export const otlpShapes = {
  METRICS: request('resourceMetrics', 'scopeMetrics', 'metrics', metric),
  LOGS: request('resourceLogs', 'scopeLogs', 'logRecords', { isItem: true }),
  TRACES: request('resourceSpans', 'scopeSpans', 'spans', { isItem: true }),
} as const
