import { spanKinds, spanText, statusCodes } from '../../traces/span-text.ts'
import type { EventOfSpan, LinkOfSpan, SpanResource } from '../../traces/span.ts'
import type { SentSpan } from '../../traces/trace-engine.ts'
import type { Refusal } from '../sample-batch.ts'
import type { SpanCollector } from '../span-collector.ts'
import { AttributeReader, TooManyCharacters } from './attribute-values.ts'
import type {
  ExportTraceRequest,
  ResourceSpans,
  SpanEventMessage,
  SpanLinkMessage,
  SpanMessage,
} from './trace-messages.ts'

/** The largest numbers of characters of the texts of a span, and of a resource. */
const maxSpanCharacters = 262_144
const maxResourceCharacters = 65_536

/** The name of a service that does not give its name (semantic conventions of OpenTelemetry, `service.name`). */
const unknownService = 'unknown_service'

type Scope = { readonly name: string; readonly version: string }

/** Writes the spans of a request of OTLP into a collector. Throws PAYLOAD_INVALID and PAYLOAD_TOO_LARGE. */
export function readSpans(
  request: ExportTraceRequest,
  staticAttributes: Readonly<Record<string, string>>,
  collector: SpanCollector,
): void {
  for (const each of request.resourceSpans) {
    const resource = resourceOf(each, staticAttributes)
    const position = resource && collector.addResource(resource)
    for (const { scope, spans } of each.scopeSpans) {
      const { name = '', version = '' } = scope ?? {}
      for (const span of spans) {
        const read = position === undefined ? largeResource : readSpan(span, { name, version }, position)
        if ('reason' in read) collector.refuse(read)
        else collector.add(read)
      }
    }
  }
}

const largeResource: Refusal = {
  reason: 'resource_too_large',
  message: `a resource has more than ${maxResourceCharacters} characters`,
}

/** Returns the resource of spans; undefined if it is too large. */
function resourceOf(
  { resource }: ResourceSpans,
  staticAttributes: Readonly<Record<string, string>>,
): SpanResource | undefined {
  try {
    const read = new AttributeReader(maxResourceCharacters).read(resource?.attributes ?? [])
    const attributes = { ...read, ...staticAttributes }
    const { 'service.name': service = '' } = attributes
    return { service: String(service) || unknownService, attributes }
  } catch (error) {
    if (error instanceof TooManyCharacters) return undefined
    throw error
  }
}

/** Returns a span, or why it is refused. */
function readSpan(span: SpanMessage, scope: Scope, resource: number): SentSpan | Refusal {
  const fault = idFault(span)
  if (fault) return fault
  try {
    return sentSpan(span, scope, resource)
  } catch (error) {
    if (!(error instanceof TooManyCharacters)) throw error
    return { reason: 'span_too_large', message: `${named(span)} has more than ${maxSpanCharacters} characters` }
  }
}

function sentSpan(span: SpanMessage, scope: Scope, resource: number): SentSpan {
  const { endTimeUnixNano, kind = 0, spanId = '', startTimeUnixNano: start = 0n, status, traceId = '' } = span
  // A span without an end has just begun.
  const end = endTimeUnixNano === undefined || endTimeUnixNano === 0n ? start : endTimeUnixNano
  const reader = new AttributeReader(maxSpanCharacters)
  const parentId = isId(span.parentSpanId, 16) ? span.parentSpanId : ''
  const code = statusCodes[status?.code ?? 0] ?? 'UNSET'
  const text = spanText({
    parentId,
    name: reader.text(span.name ?? ''),
    kind: spanKinds[kind] ?? 'INTERNAL',
    start,
    end,
    status: code,
    message: reader.text(status?.message ?? ''),
    attributes: reader.read(span.attributes),
    events: eventsOf(span.events, reader),
    links: linksOf(span.links, reader),
    scope: { name: reader.text(scope.name), version: reader.text(scope.version) },
  })
  const isRoot = parentId === ''
  const isError = code === 'ERROR'
  return { traceId, spanId, start: Number(start / 1000n), isRoot, isError, resource, text }
}

/** Returns the events of a span, the earliest first. */
function eventsOf(events: Iterable<SpanEventMessage>, reader: AttributeReader): readonly EventOfSpan[] {
  const list: EventOfSpan[] = []
  for (const { attributes, name = '', timeUnixNano: time = 0n } of events)
    list.push({ name: reader.text(name), time, attributes: reader.read(attributes) })
  return list.sort((one, other) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0))
}

/** Returns the links of a span; a link that names no span says nothing. */
function linksOf(links: Iterable<SpanLinkMessage>, reader: AttributeReader): readonly LinkOfSpan[] {
  const list: LinkOfSpan[] = []
  for (const { attributes, spanId, traceId } of links)
    if (isId(traceId, 32) && isId(spanId, 16))
      list.push({ traceId: reader.text(traceId), spanId, attributes: reader.read(attributes) })
  return list
}

function idFault(span: SpanMessage): Refusal | undefined {
  const { parentSpanId = '', spanId, traceId } = span
  if (!isId(traceId, 32)) return { reason: 'trace_id_invalid', message: `${named(span)} has no trace id of 16 bytes` }
  if (!isId(spanId, 16)) return { reason: 'span_id_invalid', message: `${named(span)} has no span id of 8 bytes` }
  if (/^0*$/.test(parentSpanId) || isId(parentSpanId, 16)) return undefined
  return { reason: 'span_id_invalid', message: `${named(span)} has a parent span id that is not of 8 bytes` }
}

/** Whether a text is an id of some digits, which are not all 0. */
const isId = (text: string | undefined, digits: 16 | 32): text is string =>
  text !== undefined && text.length === digits && /^[0-9a-f]+$/.test(text) && !/^0+$/.test(text)

const named = ({ name = '' }: SpanMessage): string => `span "${name.slice(0, 80)}"`
