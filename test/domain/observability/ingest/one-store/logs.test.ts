import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { decodeLogs } from '../../../../../domain/observability/ingest/decode-logs.ts'
import type { LogBatch } from '../../../../../domain/observability/logs/log-batch.ts'
import type { LogRules } from '../../../../../domain/observability/logs/log-engine.ts'
import { encoded } from '../encoded-messages.ts'

const rules: LogRules = { config: 'web', staticLabels: {}, promotedAttributes: [] }

type Json = Readonly<Record<string, unknown>>

const text = (key: string, value: string): Json => ({ key, value: { stringValue: value } })

/** Returns a request with the records of one resource. */
const request = (records: readonly Json[], attributes: readonly Json[] = [], scope: Json = {}): Json => ({
  resourceLogs: [{ resource: { attributes }, scopeLogs: [{ scope, logRecords: records }] }],
})

const decode = (value: unknown, given = rules): LogBatch =>
  decodeLogs({ format: 'otlp-json', coding: 'identity', body: Buffer.from(JSON.stringify(value)), rules: given })

/** Returns the only entry of a request with one record. */
function entryOf(record: Json) {
  const [stream] = decode(request([record])).streams
  return stream?.entries[0]
}

describe('logs of OTLP', () => {
  const record = {
    timeUnixNano: '1796042645815204117',
    severityNumber: 17,
    severityText: 'Error',
    body: { stringValue: 'a line' },
    attributes: [text('http.route', '/a'), { key: 'n', value: { intValue: '9007199254740993' } }],
    traceId: '5B8EFFF798038103D269B633813FC60C',
    spanId: 'EEE19B7EC3C1B174',
  }
  const attributes = [
    text('service.name', 'api'),
    text('service.namespace', 'shop'),
    text('deployment.environment.name', 'test'),
    text('host.name', 'h1'),
    text('team', 'blue'),
  ]
  const whole = request([record], attributes, { name: 'lib', version: '1', attributes: [text('k', 'v')] })
  const given = { config: 'web', staticLabels: { cluster: 'main' }, promotedAttributes: ['team'] }

  it('become entries of a stream, with the other attributes as metadata', () => {
    expect(decode(whole, given)).toEqual({
      rejections: {},
      message: '',
      streams: [
        {
          labels: {
            cluster: 'main',
            deployment_environment: 'test',
            ingestion_config: 'web',
            service_name: 'api',
            service_namespace: 'shop',
            team: 'blue',
          },
          entries: [
            {
              time: 1_796_042_645_815_204_117n,
              line: 'a line',
              metadata: {
                host_name: 'h1',
                k: 'v',
                scope_name: 'lib',
                scope_version: '1',
                http_route: '/a',
                n: '9007199254740993',
                severity_text: 'Error',
              },
              severity: 'OBSERVABILITY_LOG_SEVERITY_ERROR',
              traceId: '5b8efff798038103d269b633813fc60c',
              spanId: 'eee19b7ec3c1b174',
            },
          ],
        },
      ],
    })
  })

  it('are the same in protobuf, with and without gzip', () => {
    const bytes = (hex: string): string => Buffer.from(hex, 'hex').toString('base64')
    const ids = { traceId: bytes(record.traceId), spanId: bytes(record.spanId) }
    const scope = { name: 'lib', version: '1', attributes: [text('k', 'v')] }
    const body = encoded('ExportLogsServiceRequest', request([{ ...record, ...ids }], attributes, scope))
    const form = { format: 'otlp-protobuf', rules: given } as const
    expect(decodeLogs({ ...form, coding: 'identity', body })).toEqual(decode(whole, given))
    expect(decodeLogs({ ...form, coding: 'gzip', body: gzipSync(body) })).toEqual(decode(whole, given))
  })

  it.each<[string, Json, string]>([
    ['an integer', { intValue: '5' }, '5'],
    ['a boolean', { boolValue: false }, 'false'],
    ['bytes', { bytesValue: 'AAE=' }, '"AAE="'],
    ['a map', { kvlistValue: { values: [text('a', 'b'), { key: 'c', value: {} }] } }, '{"a":"b","c":null}'],
    ['a list', { arrayValue: { values: [{ doubleValue: 1.5 }, { stringValue: 'x' }] } }, '[1.5,"x"]'],
    ['an empty value', {}, ''],
  ])('have a line for a body that is %s', (_, body, line) => {
    expect(entryOf({ body })?.line).toBe(line)
  })

  it.each<[Json, string]>([
    [{}, 'UNSPECIFIED'],
    [{ severityNumber: 1 }, 'TRACE'],
    [{ severityNumber: 8 }, 'DEBUG'],
    [{ severityNumber: 9 }, 'INFO'],
    [{ severityNumber: 16, severityText: 'ERROR' }, 'WARN'],
    [{ severityNumber: 24 }, 'FATAL'],
    [{ severityNumber: 25 }, 'UNSPECIFIED'],
    [{ severityText: 'warning' }, 'WARN'],
    [{ severityText: 'constructor' }, 'UNSPECIFIED'],
  ])('have the severity of %o', (record, severity) => {
    expect(entryOf(record)?.severity).toBe(`OBSERVABILITY_LOG_SEVERITY_${severity}`)
  })

  it('have the observed time without a time of their own, and none without both', () => {
    expect(entryOf({ observedTimeUnixNano: '7' })?.time).toBe(7n)
    expect(entryOf({ timeUnixNano: '0' })?.time).toBeUndefined()
  })

  it('lose ids of another length, and ids of zeros', () => {
    const entry = entryOf({ traceId: '00000000000000000000000000000000', spanId: 'ab' })
    expect(entry).toMatchObject({ traceId: '', spanId: '' })
  })

  it('are cut after 256 KiB at the end of a character, and marked', () => {
    const long = entryOf({ body: { stringValue: `a${'é'.repeat(200_000)}` } })
    expect(Buffer.byteLength(long?.line ?? '')).toBe(262_143)
    expect(long?.line.endsWith('é')).toBe(true)
    expect(long?.metadata).toEqual({ truncated: 'true' })
    const exact = entryOf({ body: { stringValue: 'x'.repeat(262_144) } })
    expect([exact?.line.length, exact?.metadata]).toEqual([262_144, {}])
  })

  it('are refused for labels and metadata beyond the limits, and the others are kept', () => {
    const big = { attributes: [text('a', 'x'.repeat(65_536))] }
    const many = { attributes: Array.from({ length: 129 }, (_, i) => text(`a${i}`, 'x')) }
    const batch = decode(request([big, many, { body: { stringValue: 'kept' } }]))
    expect(batch.rejections).toEqual({ metadata_limit: 2 })
    expect(batch.streams[0]?.entries.map(({ line }) => line)).toEqual(['kept'])
    const labels = decode(request([{}, {}], [text('service.name', 'x'.repeat(2049))]))
    expect(labels).toMatchObject({ rejections: { label_value_length: 2 }, streams: [] })
  })

  it('of an empty request are none', () => {
    expect(decode({})).toEqual({ streams: [], rejections: {}, message: '' })
  })

  const deep = (levels: number): Json =>
    levels === 0 ? { stringValue: 'x' } : { arrayValue: { values: [deep(levels - 1)] } }

  it.each<[string, unknown]>([
    ['no object', []],
    ['a list that is none', { resourceLogs: {} }],
    ['a time that is no integer', request([{ timeUnixNano: '1.5' }])],
    ['a negative time', request([{ timeUnixNano: '-1' }])],
    ['a body of 40 levels', request([{ body: deep(40) }])],
    ['a severity that is a text', request([{ severityNumber: 'ERROR' }])],
    ['300 attributes', request([{ attributes: Array.from({ length: 300 }, (_, i) => text(`a${i}`, '')) }])],
  ])('are not read from a body with %s', (_, value) => {
    expect(() => decode(value)).toThrow(expect.objectContaining({ reason: 'PAYLOAD_INVALID' }))
  })

  it('are not read from bytes that are cut off or random', () => {
    const body = encoded('ExportLogsServiceRequest', request([{ body: { stringValue: 'a line' } }], attributes))
    for (let end = 1; end < body.length; end += 1) {
      try {
        decodeLogs({ format: 'otlp-protobuf', coding: 'identity', body: body.subarray(0, end), rules })
      } catch (error) {
        expect(error).toMatchObject({ reason: 'PAYLOAD_INVALID' })
      }
    }
  })
})
