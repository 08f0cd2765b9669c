import { enumeration, exactNanoseconds, hexId, text } from '../wire/kinds.ts'
import { many, MessageKind, one } from '../wire/message.ts'
import { keyValue, resource, scope, type Read } from './common-messages.ts'

const event = new MessageKind({
  timeUnixNano: one(1, exactNanoseconds),
  name: one(2, text),
  attributes: many(3, keyValue),
})

const link = new MessageKind({
  traceId: one(1, hexId),
  spanId: one(2, hexId),
  attributes: many(4, keyValue),
})

const span = new MessageKind({
  traceId: one(1, hexId),
  spanId: one(2, hexId),
  parentSpanId: one(4, hexId),
  name: one(5, text),
  kind: one(6, enumeration),
  startTimeUnixNano: one(7, exactNanoseconds),
  endTimeUnixNano: one(8, exactNanoseconds),
  attributes: many(9, keyValue),
  events: many(11, event),
  links: many(13, link),
  status: one(15, new MessageKind({ message: one(2, text), code: one(3, enumeration) })),
})

const scopeSpans = new MessageKind({ scope: one(1, scope), spans: many(2, span) })

const resourceSpans = new MessageKind({ resource: one(1, resource), scopeSpans: many(2, scopeSpans) })

/** A request of an exporter of traces (opentelemetry/proto/collector/trace/v1). */
export const exportTraceRequest = new MessageKind({ resourceSpans: many(1, resourceSpans) })

/** An event of a span. */
export type SpanEventMessage = Read<typeof event>

/** A link of a span. */
export type SpanLinkMessage = Read<typeof link>

/** A span. */
export type SpanMessage = Read<typeof span>

/** The spans of a resource. */
export type ResourceSpans = Read<typeof resourceSpans>

/** A request of an exporter of traces. */
export type ExportTraceRequest = Read<typeof exportTraceRequest>
