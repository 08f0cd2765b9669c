import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { decodeSpans } from '../../../../../domain/observability/ingest/decode-spans.ts'
import type { OtlpFormat } from '../../../../../domain/observability/sent-body.ts'
import { resourceOfText, spanOfText } from '../../../../../domain/observability/traces/span-text.ts'
import type { SpanBatch } from '../../../../../domain/observability/traces/trace-engine.ts'
import { ApiError } from '../../../../../runtime/errors.ts'
import { seeded } from '../../../../areas/random.ts'
import { encoded } from '../../ingest/encoded-messages.ts'
import { mutated } from '../../ingest/mutated.ts'

/** The number of mutated bodies of each form. */
const rounds = Number(process.env['NINEFOLD_INGEST_MUTATIONS'] ?? 125)

const [traceId, spanId, parentId] = ['5b8efff798038103d269b633813fc60c', 'eee19b7ec3c1b174', 'eee19b7ec3c1b173']

/** A span with values of all types. */
const span = {
  traceId,
  spanId,
  parentSpanId: parentId,
  name: 'GET /',
  kind: 3,
  startTimeUnixNano: '1796042031210000001',
  endTimeUnixNano: '1796042031460000999',
  attributes: [
    { key: 'text', value: { stringValue: 'ü' } },
    { key: 'flag', value: { boolValue: true } },
    { key: 'small', value: { intValue: '-7' } },
    { key: 'large', value: { intValue: '9007199254740993' } },
    { key: 'share', value: { doubleValue: 0.5 } },
    { key: 'endless', value: { doubleValue: 'Infinity' } },
    { key: 'bytes', value: { bytesValue: 'AAH/' } },
    { key: 'list', value: { arrayValue: { values: [{ stringValue: 'a' }, { intValue: '1' }] } } },
    { key: 'map', value: { kvlistValue: { values: [{ key: 'k', value: { intValue: '1' } }] } } },
    { key: 'none', value: {} },
    { key: '__proto__', value: { stringValue: 'own' } },
  ],
  events: [
    { timeUnixNano: '3', name: 'later' },
    { timeUnixNano: '2', name: 'earlier', attributes: [{ key: 'n', value: { intValue: '1' } }] },
  ],
  links: [
    { traceId, spanId: parentId },
    { traceId, spanId: '0000000000000000' },
  ],
  status: { code: 2, message: 'failed' },
}

const requestOf = (...spans: readonly object[]) => ({
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'api' } }] },
      scopeSpans: [{ scope: { name: 'http', version: '1' }, spans }],
    },
  ],
})

const decoded = (format: OtlpFormat, body: Uint8Array, staticAttributes = {}): SpanBatch =>
  decodeSpans({ format, coding: 'identity', body, staticAttributes })

const json = (request: object): Uint8Array => new TextEncoder().encode(JSON.stringify(request))

/** Returns the form of a request for the encoder of protobuf, which takes ids as base64. */
const withBytes = (request: object): object =>
  JSON.parse(JSON.stringify(request), (key, value: unknown) =>
    /(?:Trace|trace|Span|span)Id$/.test(key) ? Buffer.from(String(value), 'hex').toString('base64') : value,
  )

const protobuf = (request: object): Uint8Array =>
  Uint8Array.from(encoded('ExportTraceServiceRequest', withBytes(request)))

describe.each([
  ['JSON', (request: object, more = {}) => decoded('otlp-json', json(request), more)],
  ['protobuf', (request: object, more = {}) => decoded('otlp-protobuf', protobuf(request), more)],
])('a request in %s', (_, decode) => {
  it('has its spans without loss', () => {
    const { rejections, resources, spans } = decode(requestOf(span))
    expect(rejections).toEqual({})
    const [sent] = spans
    const resource = resourceOfText(resources[0]?.text ?? '')
    expect(resource).toEqual({ service: 'api', attributes: { 'service.name': 'api' } })
    expect(sent).toMatchObject({ traceId, spanId, start: 1_796_042_031_210_000, isRoot: false, isError: true })
    const read = spanOfText(sent?.text ?? '', { traceId, spanId, resource })
    expect(read).toMatchObject({
      parentId,
      name: 'GET /',
      kind: 'CLIENT',
      start: 1_796_042_031_210_000_001n,
      end: 1_796_042_031_460_000_999n,
      status: 'ERROR',
      message: 'failed',
      events: [
        { name: 'earlier', time: 2n, attributes: { n: 1 } },
        { name: 'later', time: 3n, attributes: {} },
      ],
      links: [{ traceId, spanId: parentId, attributes: {} }],
      scope: { name: 'http', version: '1' },
    })
    expect(Object.entries(read.attributes)).toEqual(
      expect.arrayContaining([
        ['text', 'ü'],
        ['flag', true],
        ['small', -7],
        ['large', '9007199254740993'],
        ['share', 0.5],
        ['endless', 'Infinity'],
        ['bytes', 'AAH/'],
        ['list', ['a', 1]],
        ['map', '{"k":1}'],
        ['none', ''],
        ['__proto__', 'own'],
      ]),
    )
  })

  it('loses only the spans that break a rule', () => {
    const { message, rejections, spans } = decode(
      requestOf(
        { ...span, traceId: '00' },
        { ...span, spanId: '0000000000000000' },
        { ...span, parentSpanId: 'ab' },
        { ...span, name: 'x'.repeat(300_000) },
        { ...span, parentSpanId: '0000000000000000' },
      ),
    )
    expect(rejections).toEqual({ trace_id_invalid: 1, span_id_invalid: 2, span_too_large: 1 })
    expect(message).toBe('span "GET /" has no trace id of 16 bytes')
    expect(spans).toMatchObject([{ isRoot: true }])
  })

  it('has resources with the static labels of the config, unless they are too large', () => {
    const { resources } = decode(requestOf(span, span), { 'service.name': 'fixed', cluster: 'main' })
    expect(resources).toEqual([{ service: 'fixed', text: '["fixed",{"service.name":"fixed","cluster":"main"}]' }])
    const large = { attributes: [{ key: 'a', value: { stringValue: 'x'.repeat(70_000) } }] }
    const request = { resourceSpans: [{ resource: large, scopeSpans: [{ spans: [span, span] }] }] }
    expect(decode(request).rejections).toEqual({ resource_too_large: 2 })
    expect(decode({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }).resources).toMatchObject([
      { service: 'unknown_service' },
    ])
  })

  it('may be empty', () => expect(decode({})).toMatchObject({ spans: [], rejections: {} }))
})

it('a request with too much text is refused as a whole', () => {
  const attributes = Array.from({ length: 200 }, (_, i) => ({
    key: `k${i}`,
    value: { stringValue: '\u0001'.repeat(1000) },
  }))
  // A character of one byte takes six in JSON, so that a small body becomes large.
  const request = requestOf(...Array.from({ length: 150 }, () => ({ ...span, attributes })))
  expect(() => decoded('otlp-protobuf', protobuf(request))).toThrow(
    expect.objectContaining({ reason: 'PAYLOAD_TOO_LARGE' }),
  )
})

it.each([
  ['JSON', 'otlp-json', json(requestOf(span)), 'identity'],
  ['protobuf', 'otlp-protobuf', protobuf(requestOf(span)), 'identity'],
  ['gzip', 'otlp-protobuf', Uint8Array.from(gzipSync(protobuf(requestOf(span)))), 'gzip'],
] as const)('a mutated body of %s is taken or refused, and nothing else', (_, format, bytes, coding) => {
  const random = seeded(29)
  const outcomes = new Set<string>()
  for (let round = 0; round < rounds; round += 1) {
    try {
      decodeSpans({ format, coding, body: mutated(bytes, random), staticAttributes: {} })
      outcomes.add('taken')
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      outcomes.add(error.reason)
    }
  }
  expect([...outcomes].filter(outcome => !['taken', 'PAYLOAD_INVALID', 'PAYLOAD_TOO_LARGE'].includes(outcome))).toEqual(
    [],
  )
  expect(outcomes).toContain('PAYLOAD_INVALID')
})
