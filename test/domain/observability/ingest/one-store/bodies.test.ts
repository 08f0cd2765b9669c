import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { compress } from 'snappyjs'
import { inflate } from '../../../../../domain/observability/ingest/inflate.ts'
import { decode, requestOf } from '../decoding.ts'
import { encoded } from '../encoded-messages.ts'

const mib = 1024 * 1024
const refuses = (reason: string) => expect.objectContaining({ reason })

/** Encodes an integer as a varint. */
const varint = (number: number): number[] =>
  number < 128 ? [number] : [(number % 128) + 128, ...varint(Math.floor(number / 128))]

describe('the body of a request', () => {
  const text = new TextEncoder().encode('abcabcabcabcabcabcabcabc-the-end-of-it-all '.repeat(999))

  it.each([
    ['gzip', gzipSync(text)],
    ['snappy', compress(text)],
    ['identity', text],
  ] as const)('is inflated from %s', (coding, body) => {
    expect(Buffer.from(inflate({ coding, body })).equals(text)).toBe(true)
  })

  it.each([0, 1, 60, 61, 255, 256, 65_535, 65_536, 70_000])('is decompressed from snappy with %i bytes', length => {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * index) >> 3)
    expect(Buffer.from(inflate({ coding: 'snappy', body: compress(bytes) })).equals(bytes)).toBe(true)
  })

  it('has at most 64 MiB after the inflation', () => {
    const body = gzipSync(new Uint8Array(65 * mib))
    expect(body.length).toBeLessThan(mib)
    expect(() => inflate({ coding: 'gzip', body })).toThrow(refuses('PAYLOAD_TOO_LARGE'))
    expect(inflate({ coding: 'gzip', body: gzipSync(new Uint8Array(64 * mib)) })).toHaveLength(64 * mib)
    const claimed = Uint8Array.from([...varint(65 * mib), 0, 1])
    expect(() => inflate({ coding: 'snappy', body: claimed })).toThrow(refuses('PAYLOAD_TOO_LARGE'))
    expect(() => inflate({ coding: 'identity', body: new Uint8Array(64 * mib + 1) })).toThrow(
      refuses('PAYLOAD_TOO_LARGE'),
    )
  })

  it.each([
    ['an empty body', []],
    ['a length that does not end', [0x80, 0x80, 0x80, 0x80, 0x80, 0x01]],
    ['a literal beyond the body', [5, 4 << 2, 1, 2]],
    ['a literal beyond the length', [1, 1 << 2, 1, 2]],
    ['a literal whose length is negative as 32 bits', [5, 63 << 2, 0xf0, 0xff, 0xff, 0xff, 1, 2, 3]],
    ['a copy from before the beginning', [5, 0, 1, 1, 9]],
    ['a copy of offset 0', [5, 0, 1, 1, 0]],
    ['a copy of a negative offset', [5, 0, 1, 3, 0xff, 0xff, 0xff, 0xff]],
    ['a copy beyond the length', [5, 0, 1, (63 << 2) + 2, 1, 0]],
    ['fewer bytes than its length', [5, 0, 1]],
    ['a cut tag', [5, 0, 1, 2, 1]],
  ])('is refused as snappy with %s', (_, bytes) => {
    expect(() => inflate({ coding: 'snappy', body: Uint8Array.from(bytes) })).toThrow(refuses('PAYLOAD_INVALID'))
  })

  it.each([[[]], [[1, 2, 3]], [[...gzipSync(text).subarray(0, 40)]]])('is refused as gzip with the bytes %j', bytes => {
    expect(() => inflate({ coding: 'gzip', body: Uint8Array.from(bytes) })).toThrow(refuses('PAYLOAD_INVALID'))
  })

  it.each([
    ['more than 4,000,000 empty messages', new Uint8Array(9 * mib).map((_, index) => (index % 2 === 0 ? 0x0a : 0))],
    ['more than 2,000,000 empty points', pointsOf(2_000_001)],
  ])('is refused with %s', (_, body) => {
    expect(() => decode({ format: 'otlp-protobuf', body })).toThrow(refuses('PAYLOAD_TOO_LARGE'))
  })

  it('is refused as JSON with more than 4,000,000 values', () => {
    const body = new TextEncoder().encode(`{"resourceMetrics":[${'{},'.repeat(2_000_000)}{}]}`)
    expect(() => decode({ format: 'otlp-json', body })).toThrow(refuses('PAYLOAD_TOO_LARGE'))
  })

  it.each([
    ['a number of a field 0', [0x02, 0]],
    ['a cut message', [0x0a, 5, 1]],
    ['another wire type than the field has', [0x08, 1]],
    ['the end of a group that did not begin', [0x14]],
    ['a group that does not end', [0x13, 0x08, 1]],
    ['nested groups', Array.from({ length: 200 }, () => 0x13)],
    ['a name that is not UTF-8', [0x0a, 9, 0x12, 7, 0x12, 5, 0x0a, 3, 0xff, 0xfe, 0xfd]],
  ])('is refused as protobuf with %s', (_, bytes) => {
    const body = Uint8Array.from(bytes)
    expect(() => decode({ format: 'otlp-protobuf', body })).toThrow(refuses('PAYLOAD_INVALID'))
  })

  it('may have unknown fields and groups', () => {
    const request = encoded('ExportMetricsServiceRequest', requestOf([]))
    const body = Uint8Array.from([0x10, 1, 0x1b, 0x08, 1, 0x1c, 0x25, 1, 2, 3, 4, ...request, 0x7a, 1, 9])
    expect(decode({ format: 'otlp-protobuf', body }).keys).toEqual([])
  })
})

/** Returns a request with a gauge of empty points. */
function pointsOf(count: number): Uint8Array {
  const gauge = new Uint8Array(count * 2).map((_, index) => (index % 2 === 0 ? 0x0a : 0))
  return [0x2a, 0x12, 0x12, 0x0a].reduce((bytes, tag) => {
    const head = [tag, ...varint(bytes.length)]
    const whole = new Uint8Array(head.length + bytes.length)
    whole.set(head)
    whole.set(bytes, head.length)
    return whole
  }, gauge)
}
