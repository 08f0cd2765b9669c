import { beforeAll, describe, expect, it } from 'vitest'
import { lacks } from '../../../../server/registry/layers/judges/lacks.ts'
import { afterTests } from '../../../../undo.ts'
import { outcomeOf } from '../../../outcomes.ts'
import { encoded, withByteIds } from '../../ingest/encoded-messages.ts'
import { key } from '../../ingest/served-plane.ts'
import { attributesOf, sentSpan, spanId, traceId, traceRequest } from '../../traces/sent-spans.ts'
import { jaegerPlane, type JaegerPlane, type TestedEngine } from '../jaeger-plane.ts'

const now = Date.now() - 60_000

/** Returns a time of OTLP, `nanos` nanoseconds after `now`. */
const at = (nanos: number): string => String(BigInt(now) * 1_000_000n + BigInt(nanos))

const value = (key: string, content: object) => ({ key, value: content })

/** Attributes of all kinds of values. */
const kinds = [
  ...attributesOf({ text: 'x "y" \u{1f600}\n', whole: 5, fraction: 1e-7, isTrue: true, isFalse: false }),
  value('beyond', { intValue: '-9007199254740993' }),
  value('bytes', { bytesValue: 'AQID' }),
  value('large', { doubleValue: 1e21 }),
  value('nan', { doubleValue: 'NaN' }),
  value('infinite', { doubleValue: '-Infinity' }),
  value('list', { arrayValue: { values: [{ stringValue: 'a' }, { intValue: '2' }, { boolValue: true }] } }),
  value('map', { kvlistValue: { values: [value('inner', { arrayValue: { values: [{ doubleValue: 0.5 }] } })] } }),
  value('noList', { arrayValue: {} }),
  value('noMap', { kvlistValue: {} }),
  value('nothing', {}),
]

/** Returns a request with a trace of two services, which has all that spans may have. */
const wholeTrace = (id: string) => ({
  resourceSpans: [
    {
      resource: { attributes: [...attributesOf({ 'service.name': 'api', 'host.cpus': 4 }), ...kinds] },
      scopeSpans: [
        {
          scope: { name: 'library', version: '1.2', attributes: attributesOf({ left: 'out' }) },
          spans: [
            {
              ...sentSpan({ trace: id, id: 'EEE19B7EC3C1B174', name: 'GET /orders', start: now, ms: 250, status: 2 }),
              startTimeUnixNano: at(1),
              endTimeUnixNano: at(250_000_001),
              attributes: kinds,
              status: { code: 2, message: 'no such order' },
              events: [
                { timeUnixNano: at(9), name: 'second', attributes: kinds },
                { timeUnixNano: at(5), name: 'first' },
              ],
              links: [{ traceId: traceId(77), spanId: spanId(7), attributes: kinds }],
            },
            ...[0, 1, 3, 4, 5].map(kind =>
              sentSpan({
                trace: id,
                id: spanId(10 + kind),
                parent: 'eee19b7ec3c1b174',
                kind,
                start: now + kind,
                status: kind % 2,
              }),
            ),
          ],
        },
        { spans: [sentSpan({ trace: id, id: spanId(30), parent: spanId(99), start: now - 1 })] },
      ],
    },
    {
      resource: { attributes: attributesOf({ 'service.name': 'db' }) },
      scopeSpans: [{ spans: [sentSpan({ trace: id, id: spanId(40), parent: spanId(11), start: now + 2 })] }],
    },
  ],
})

describe.skipIf(lacks('of traces by Jaeger', 'jaeger'))('a trace in Jaeger', () => {
  let far: JaegerPlane

  beforeAll(async () => {
    far = await jaegerPlane(afterTests)
  })

  const both = async <T>(read: (engine: TestedEngine) => Promise<T>): Promise<readonly [T, T]> => [
    await read('far'),
    await read('native'),
  ]

  it.each(['json', 'protobuf'] as const)('is that of the native engine, sent as %s', async form => {
    const id = form === 'json' ? '5B8EFFF798038103D269B633813FC60C' : traceId(2)
    await far.mine.send(wholeTrace(id), form)
    const [got, expected] = await both(engine => far.mine.get(engine, id))
    expect(got).toEqual(expected)
    expect(got).toMatchObject({ span_count: 8, error_count: 1, partial: true, services: ['api', 'db'] })
    expect(got.spans[0]?.resource_attributes['region']).toBe('north')
    expect(await far.mine.get('far', id.toLowerCase())).toEqual(expected)
    expect(await far.mine.get('far', id.toUpperCase())).toEqual(expected)
    const [found, wanted] = await both(engine =>
      far.mine.search(engine, {
        service: 'api',
        attributes: { 'host.cpus': 4 },
        end_time: new Date(now).toISOString(),
      }),
    )
    expect(found).toEqual(wanted)
    expect(found.traces.map(({ trace_id }) => trace_id)).toContain(id.toLowerCase())
  })

  it('gets spans that come late, and the last one of spans with one id', async () => {
    const trace = traceId(3)
    await far.mine.send(traceRequest([{ trace, id: spanId(2), parent: spanId(1), service: 'late', start: now + 5 }]))
    await far.mine.send(traceRequest([{ trace, id: spanId(1), service: 'early', start: now, ms: 100 }]))
    await far.mine.send(
      traceRequest([{ trace, id: spanId(2), parent: spanId(1), service: 'late', start: now + 6, status: 2 }]),
    )
    const [got, expected] = await both(engine => far.mine.get(engine, trace))
    expect(got).toEqual(expected)
    expect(got).toMatchObject({ span_count: 2, error_count: 1, partial: false, root_service: 'early' })
  })

  it('has all of its spans, of which 10,000 are answered', async () => {
    const { get, search, send } = await far.another('large')
    const trace = traceId(4)
    const spans = Array.from({ length: 10_005 }, (_, i) =>
      sentSpan({
        trace,
        id: spanId(i + 1),
        parent: i === 0 ? '' : spanId(1),
        start: now + i,
        ms: i === 0 ? 20_000 : 1,
      }),
    )
    const resource = { attributes: attributesOf({ 'service.name': 'large' }) }
    await send({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }, 'protobuf')
    const [got, expected] = await both(engine => get(engine, trace))
    expect(got).toMatchObject({ span_count: 10_005, truncated: true, spans: { length: 10_000 } })
    expect(got).toEqual(expected)
    const [found, wanted] = await both(engine => search(engine, { service: 'large' }))
    expect(found).toEqual(wanted)
  })

  it('is QUERY_LIMIT_EXCEEDED above 10 MiB, and does not hide other traces from searches', async () => {
    const trace = traceId(5)
    const text = 'x'.repeat(250_000)
    for (let i = 0; i < 3; i++) {
      const spans = Array.from({ length: 15 }, (_, j) =>
        sentSpan({ trace, id: spanId(20 * i + j + 1), start: now, attributes: { text } }),
      )
      const attributes = attributesOf({ 'service.name': 'huge' })
      expect(
        await far.mine.push('far', { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans }] }] }),
      ).toEqual([200, '{}'])
    }
    await far.mine.send(traceRequest([{ trace: traceId(6), id: spanId(1), service: 'huge', start: now + 1 }]))
    await far.mine.send(traceRequest([{ trace: traceId(7), id: spanId(1), service: 'huge', start: now - 1 }]))
    expect(await outcomeOf(far.mine.get('far', trace))).toBe('QUERY_LIMIT_EXCEEDED')
    const range = { start_time: new Date(now - 2).toISOString(), end_time: new Date(now + 2).toISOString() }
    expect((await far.mine.pages('far', { service: 'huge', ...range })).flat()).toEqual([traceId(6), traceId(7)])
  })

  it('is not found by another workspace, nor are its spans, whatever workspace they claim', async () => {
    const [shared, secret] = [traceId(8), traceId(9)]
    await far.mine.send(traceRequest([{ trace: shared, id: spanId(1), name: 'own', service: 'both', start: now }]))
    const claims = { workspace_id: far.mine.workspace, 'workspace.id': far.mine.workspace }
    for (const trace of [shared, secret]) {
      const [all] = traceRequest([
        { trace, id: spanId(2), name: 'spy', service: 'both', start: now, attributes: claims },
      ]).resourceSpans
      const resource = { attributes: attributesOf({ 'service.name': 'both', ...claims }) }
      await far.theirs.send({ resourceSpans: [{ ...all, resource }] }, trace === shared ? 'json' : 'protobuf')
    }
    const own = await far.mine.get('far', shared)
    expect(own.spans.map(({ name }) => name)).toEqual(['own'])
    const found = await far.mine.search('far', { service: 'both' })
    expect(found.traces.map(({ trace_id }) => trace_id)).toEqual([shared])
    expect(JSON.stringify([own, found])).not.toMatch(/spy|workspace/)
    expect(await outcomeOf(far.mine.get('far', secret))).toBe('TRACE_NOT_FOUND')
    expect(await outcomeOf(far.mine.get('far', traceId(999)))).toBe('TRACE_NOT_FOUND')
    const theirs = await far.theirs.get('far', shared)
    expect(theirs.spans.map(({ attributes, name }) => [name, attributes])).toEqual([['spy', claims]])
    const { traces } = await far.theirs.search('far', { service: 'both', span_name: 'spy' })
    expect(traces.map(({ trace_id }) => trace_id).toSorted()).toEqual([shared, secret])
  })

  it('stays readable beside spans that Jaeger keeps in odd forms', async () => {
    const trace = traceId(10)
    const span = sentSpan({ trace, id: spanId(1), start: now })
    const scoped = (...spans: readonly object[]) => ({
      resourceSpans: [{ resource: { attributes: attributesOf({ 'service.name': 'odd' }) }, scopeSpans: [{ spans }] }],
    })
    await far.mine.send(scoped({ ...span, kind: -1, status: { code: -3 } }), 'protobuf')
    const nested = (levels: number): object => {
      let content: object = { boolValue: true }
      for (let i = 0; i < levels; i++) content = { kvlistValue: { values: [{ key: 'k', value: content }] } }
      return content
    }
    await far.mine.send(scoped({ ...span, spanId: spanId(2), attributes: [value('deep', nested(32))] }))
    const [got, expected] = await both(engine => far.mine.get(engine, trace))
    expect(got).toEqual(expected)
    expect(got.spans.map(({ span_id }) => span_id)).toEqual([spanId(1), spanId(2)])

    // What the platform does not read in spans may be of any form in the store.
    const scope = { name: 'deep', attributes: [value('deep', nested(300))] }
    const [resource] = scoped({ ...span, traceId: traceId(11) }).resourceSpans
    await far.theirs.send({ resourceSpans: [{ ...resource, scopeSpans: [{ ...resource?.scopeSpans[0], scope }] }] })
    const misspelt = (member: object) => {
      const request = Buffer.from(encoded('ExportTraceServiceRequest', withByteIds(scoped({ ...span, ...member }))))
      request[request.indexOf('not utf-8')] = 0xff
      return Uint8Array.from(request)
    }
    for (const sender of [far.mine, far.theirs])
      expect(
        await sender.push('far', misspelt({ kind: -1, status: { code: -3 }, traceState: 'not utf-8' }), 'protobuf'),
      ).toEqual([200, ''])

    const refused: readonly (readonly [object, 'json' | 'protobuf'])[] = [
      [scoped({ ...span, traceId: '0'.repeat(32) }), 'json'],
      [scoped({ ...span, traceId: '0'.repeat(32) }), 'protobuf'],
      [scoped({ ...span, attributes: [value('deep', nested(33))] }), 'json'],
      [scoped({ ...span, attributes: attributesOf({ text: 'x'.repeat(300_000) }) }), 'protobuf'],
      [misspelt({ events: [{ name: 'not utf-8' }] }), 'protobuf'],
    ]
    for (const [request, form] of refused) expect((await far.theirs.push('far', request, form))[0]).toBe(400)
    for (const sender of [far.mine, far.theirs])
      expect((await sender.search('far', { service: 'odd' })).traces).toHaveLength(sender === far.mine ? 1 : 2)
    expect(await far.mine.get('far', trace)).toEqual(expected)
  })

  it('differs by spans without a duration and without a service', async () => {
    const trace = traceId(12)
    const span = { ...sentSpan({ trace, id: spanId(1), start: now, ms: 0 }), attributes: [] }
    await far.mine.send({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
    const [got, expected] = await both(engine => far.mine.get(engine, trace))
    expect(expected.spans[0]).toMatchObject({ end_time: expected.start_time, service_name: 'unknown_service' })
    expect(got.spans[0]).toMatchObject({
      start_time: expected.start_time,
      end_time: expected.start_time.replace('000Z', '001Z'),
      duration: 0,
      service_name: 'missing-service-name',
      attributes: { '@jaeger@warnings': [expect.stringContaining('Negative duration')] },
    })
  })

  it('alone is taken: senders of other signals must try again', async () => {
    const { api, push } = far.plane
    const body = { name: 'all', otlp: {}, ingest_keys: [{ name: 'sender', secret: key }] }
    const where = { workspace: far.mine.workspace, engine: 'far' }
    const { resource_id: config } = await api.observability.createIngestionConfig({ ...where, body })
    for (const path of ['/v1/logs', '/v1/metrics']) expect((await push(config, '{}', { path })).status).toBe(503)
    expect((await push(config, '{}', { path: '/v1/traces' })).status).toBe(200)
  })
})
