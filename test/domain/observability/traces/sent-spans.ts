/** A span as tests describe it; times are milliseconds since the start of the trace. */
export interface TestSpan {
  readonly trace: string
  readonly id: string
  readonly parent?: string
  readonly name?: string
  /** The kind by its number in OTLP; 2 is a server, and 3 a client. */
  readonly kind?: number
  readonly service?: string
  /** Milliseconds since 1970. */
  readonly start: number
  readonly ms?: number
  /** The code of the status by its number; 2 is an error. */
  readonly status?: number
  readonly attributes?: Readonly<Record<string, string | number | boolean>>
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[]
}

/** Returns the form of attributes in OTLP. */
export const attributesOf = (attributes: Readonly<Record<string, string | number | boolean>>) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }))

function valueOf(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

/** Returns a request of OTLP in JSON with spans, one resource for each. */
export const traceRequest = (spans: readonly TestSpan[]) => ({
  resourceSpans: spans.map(span => ({
    resource: { attributes: attributesOf({ 'service.name': span.service ?? 'api' }) },
    scopeSpans: [{ scope: { name: 'test', version: '1' }, spans: [sentSpan(span)] }],
  })),
})

/** Returns a span in the JSON of OTLP. */
export const sentSpan = ({
  attributes = {},
  id,
  kind = 2,
  links = [],
  ms = 10,
  name = 'GET /',
  parent = '',
  start,
  status = 0,
  trace,
}: TestSpan) => ({
  traceId: trace,
  spanId: id,
  parentSpanId: parent,
  name,
  kind,
  startTimeUnixNano: nanos(start),
  endTimeUnixNano: nanos(start + ms),
  attributes: attributesOf(attributes),
  status: { code: status },
  links,
})

/** Returns the nanoseconds of a time in milliseconds, which may have a fraction. */
const nanos = (ms: number): string => String(BigInt(Math.round(ms * 1000)) * 1000n)

/** Returns a trace id of a number. */
export const traceId = (number: number): string => number.toString(16).padStart(32, '0')

/** Returns a span id of a number. */
export const spanId = (number: number): string => number.toString(16).padStart(16, '0')
