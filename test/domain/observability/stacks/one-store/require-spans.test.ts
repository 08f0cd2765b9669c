import { describe, expect, it } from 'vitest'
import { decodeSpans } from '../../../../../domain/observability/ingest/decode-spans.ts'
import { encodeMessage } from '../../../../../domain/observability/ingest/wire/encode-message.ts'
import { requireSpans } from '../../../../../domain/observability/stacks/forwarding/require-spans.ts'
import { spanOfText } from '../../../../../domain/observability/traces/span-text.ts'
import { encoded, withByteIds } from '../../ingest/encoded-messages.ts'
import { sentSpan, spanId, traceId } from '../../traces/sent-spans.ts'

const span = sentSpan({ trace: traceId(1), id: spanId(1), start: 1_764_500_000_000 })

/** Returns a request with a span, in a form of OTLP. */
const forms = {
  'otlp-json': (of: object) => Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [of] }] }] })),
  'otlp-protobuf': (of: object) =>
    Buffer.from(
      encoded('ExportTraceServiceRequest', withByteIds({ resourceSpans: [{ scopeSpans: [{ spans: [of] }] }] })),
    ),
} as const

const attribute = (value: object) => ({ ...span, attributes: [{ key: 'k', value }] })

/** Returns a value of some levels of maps in JSON. */
const nested = (levels: number): object =>
  levels === 0 ? { intValue: '1' } : { kvlistValue: { values: [{ key: 'k', value: nested(levels - 1) }] } }

/** Returns the fields of a value of some levels of maps in protobuf (opentelemetry/proto/common/v1). */
const nestedFields = (levels: number): Uint8Array =>
  levels === 0
    ? encodeMessage([[3, 1]])
    : encodeMessage([
        [
          6,
          encodeMessage([
            [
              1,
              encodeMessage([
                [1, 'k'],
                [2, nestedFields(levels - 1)],
              ]),
            ],
          ]),
        ],
      ])

/** Returns a request in protobuf with a span whose attribute has some levels. */
const deepRequest = (levels: number): Uint8Array => {
  const withAttribute = [
    [1, Buffer.from(span.traceId, 'hex')],
    [2, Buffer.from(span.spanId, 'hex')],
    [
      9,
      encodeMessage([
        [1, 'k'],
        [2, nestedFields(levels)],
      ]),
    ],
  ] as const
  return encodeMessage([[1, encodeMessage([[2, encodeMessage([[2, encodeMessage(withAttribute)]])]])]])
}

describe.each(['otlp-json', 'otlp-protobuf'] as const)('spans for a stack in %s', format => {
  it.each<readonly [string, object, RegExp | undefined]>([
    ['all members', span, undefined],
    ['kinds and codes of no enum', { ...span, kind: -1, status: { code: -3 } }, undefined],
    ['a trace id of zeros', { ...span, traceId: '0'.repeat(32) }, /has no trace id of 16 bytes/],
    ['a short trace id', { ...span, traceId: '0a' }, /has no trace id of 16 bytes/],
    ['a span id of zeros', { ...span, spanId: '0'.repeat(16) }, /has no span id of 8 bytes/],
    ['a short id of its parent', { ...span, parentSpanId: '0a' }, /parent span id that is not of 8 bytes/],
    ['much text', attribute({ stringValue: 'x'.repeat(300_000) }), /has more than 262144 characters/],
  ])('are taken or refused with %s', (_what, of, fault) => {
    const require = () => requireSpans(forms[format](of), format)
    if (fault) expect(require).toThrow(fault)
    else expect(require).not.toThrow()
  })

  it('have the first kind and code in place of those of no enum', () => {
    const body = forms[format]({ ...span, kind: -1, status: { code: -(2 ** 31) } })
    const { spans } = decodeSpans({ body, coding: 'identity', format, staticAttributes: {} })
    const resource = { service: 'api', attributes: {} }
    const [read] = spans.map(({ text }) => spanOfText(text, { traceId: '', spanId: '', resource }))
    expect(read).toMatchObject({ kind: 'INTERNAL', status: 'UNSET' })
  })

  it('have values of 32 levels at most', () => {
    const request = (levels: number) =>
      format === 'otlp-json' ? forms[format](attribute(nested(levels))) : deepRequest(levels)
    expect(() => requireSpans(request(32), format)).not.toThrow()
    for (const levels of [33, 500])
      expect(() => requireSpans(request(levels), format)).toThrow('has a value of more than 32 levels')
  })

  it('have text in UTF-8', () => {
    const body = forms[format]({ ...span, events: [{ name: 'not utf-8' }] })
    body[body.indexOf('not utf-8')] = 0xff
    expect(() => requireSpans(body, format)).toThrow(/is not (JSON in UTF-8|a protobuf message)/)
  })
})
