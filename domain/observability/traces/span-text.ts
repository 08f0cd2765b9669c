import type { EventOfSpan, LinkOfSpan, SpanKindName, SpanResource, SpanStatusName, TraceSpan } from './span.ts'

/** The names of kinds by their numbers in OTLP (opentelemetry/proto/trace/v1, Span.SpanKind). */
export const spanKinds = ['INTERNAL', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'] as const

/** The names of the codes of a status by their numbers in OTLP (Status.StatusCode). */
export const statusCodes = ['UNSET', 'OK', 'ERROR'] as const

/** The members of a span in the order of its text; times are decimal. */
type Row = readonly [
  parent: string,
  name: string,
  kind: SpanKindName,
  start: string,
  end: string,
  status: SpanStatusName,
  message: string,
  attributes: TraceSpan['attributes'],
  events: readonly (readonly [name: string, time: string, attributes: EventOfSpan['attributes']])[],
  links: readonly (readonly [trace: string, span: string, attributes: LinkOfSpan['attributes']])[],
  scope: string,
  version: string,
]

/** The ids of a span and its resource, which its text does not have. */
export type SpanPlace = Pick<TraceSpan, 'traceId' | 'spanId' | 'resource'>

/** Returns the text of a span for a store: JSON of all members but the place of the span. */
export function spanText(span: Omit<TraceSpan, keyof SpanPlace>): string {
  const row: Row = [
    span.parentId,
    span.name,
    span.kind,
    String(span.start),
    String(span.end),
    span.status,
    span.message,
    span.attributes,
    span.events.map(({ attributes, name, time }) => [name, String(time), attributes]),
    span.links.map(({ attributes, spanId, traceId }) => [traceId, spanId, attributes]),
    span.scope.name,
    span.scope.version,
  ]
  return JSON.stringify(row)
}

/** Returns the span of a text that `spanText` has made. */
export function spanOfText(text: string, place: SpanPlace): TraceSpan {
  const row: Row = JSON.parse(text)
  const [parentId, name, kind, start, end, status, message, attributes, events, links, scope, version] = row
  return {
    ...place,
    parentId,
    name,
    kind,
    start: BigInt(start),
    end: BigInt(end),
    status,
    message,
    attributes,
    events: events.map(([event, time, of]) => ({ name: event, time: BigInt(time), attributes: of })),
    links: links.map(([traceId, spanId, of]) => ({ traceId, spanId, attributes: of })),
    scope: { name: scope, version },
  }
}

/** Returns the text of a resource for a store. */
export const resourceText = ({ attributes, service }: SpanResource): string => JSON.stringify([service, attributes])

/** Returns the resource of a text that `resourceText` has made. */
export function resourceOfText(text: string): SpanResource {
  const [service, attributes]: readonly [string, SpanResource['attributes']] = JSON.parse(text)
  return { service, attributes }
}
