import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SpanKind, SpanStatusCode, trace as traceApi, context } from '@opentelemetry/api'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { run } from '../../../../server/programs.ts'
import { testFolder } from '../../../../server/store/harness.ts'
import { afterTests } from '../../../../undo.ts'
import { key } from '../../ingest/served-plane.ts'
import { servedTraces, type ServedTraces } from '../served-traces.ts'

let served: ServedTraces

beforeAll(async () => {
  served = await servedTraces(afterTests)
})

describe('the SDK of OpenTelemetry for JavaScript', () => {
  it.each([
    ['JSON', JsonExporter],
    ['protobuf', ProtobufExporter],
  ])('sends spans with attributes, events, links and errors in %s', async (encoding, Exporter) => {
    const exporter = new Exporter({
      url: `${served.plane.url}/ingest/${served.config}/v1/traces`,
      headers: { authorization: `Bearer ${key}` },
    })
    const provider = new BasicTracerProvider({
      resource: resourceFromAttributes({ 'service.name': `shop ${encoding}`, 'process.command_args': ['node', 'a'] }),
      spanProcessors: [new BatchSpanProcessor(exporter)],
    })
    onTestFinished(() => provider.shutdown())
    const tracer = provider.getTracer('shop', '1.2.3')
    const server = tracer.startSpan('GET /orders', { kind: SpanKind.SERVER, attributes: { 'http.route': '/orders' } })
    const inServer = traceApi.setSpan(context.active(), server)
    const link = { context: server.spanContext(), attributes: { why: 'test' } }
    const client = tracer.startSpan('SELECT', { kind: SpanKind.CLIENT, links: [link] }, inServer)
    client.setAttributes({ 'db.system.name': 'postgresql', rows: 3, share: 0.5, ok: false, tags: ['a', 'b'] })
    client.addEvent('retry', { attempt: 2 })
    client.recordException(new Error('no connection'))
    client.setStatus({ code: SpanStatusCode.ERROR, message: 'no connection' })
    client.end()
    server.end()
    await provider.forceFlush()
    const id = server.spanContext().traceId
    const trace = await served.get(id)
    expect(trace).toMatchObject({
      trace_id: id,
      root_service: `shop ${encoding}`,
      root_name: 'GET /orders',
      span_count: 2,
      error_count: 1,
      partial: false,
    })
    const found = trace.spans.find(({ name }) => name === 'SELECT')
    expect(found).toMatchObject({
      span_id: client.spanContext().spanId,
      parent_span_id: server.spanContext().spanId,
      kind: 'OBSERVABILITY_SPAN_KIND_CLIENT',
      status: { code: 'OBSERVABILITY_SPAN_STATUS_ERROR', message: 'no connection' },
      attributes: { 'db.system.name': 'postgresql', rows: 3, share: 0.5, ok: false, tags: ['a', 'b'] },
      links: [{ trace_id: id, span_id: server.spanContext().spanId, attributes: { why: 'test' } }],
      scope: { name: 'shop', version: '1.2.3' },
      resource_attributes: { 'process.command_args': ['node', 'a'] },
    })
    expect(found?.events.map(({ name }) => name)).toEqual(['retry', 'exception'])
    const query = `{ resource.service.name = "shop ${encoding}" && .http.route = "/orders" } > { span.tags = "b" }`
    expect((await served.search({ query })).map(({ trace_id }) => trace_id)).toEqual([id])
    const { edges } = await served.graph({ service: `shop ${encoding}` })
    expect(edges).toMatchObject([
      { source: `shop ${encoding}`, target: 'postgresql', connection_type: 'OBSERVABILITY_CONNECTION_TYPE_DATABASE' },
    ])
  })
})

const python = process.env['NINEFOLD_OTEL_PYTHON']

describe.skipIf(python === undefined)(
  'the SDK of OpenTelemetry for Python (set NINEFOLD_OTEL_PYTHON to run this)',
  () => {
    it('sends traces with the environment variables that the documentation names', async () => {
      const program = `
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
tracer = provider.get_tracer("jobs")
with tracer.start_as_current_span("job") as job:
    job.set_attribute("queue", "mail")
    with tracer.start_as_current_span("step"):
        pass
print(provider.force_flush())
provider.shutdown()
`
      const folder = testFolder(onTestFinished)
      writeFileSync(join(folder, 'send.py'), program)
      const variables = [
        `PYTHONPATH=${python}`,
        `OTEL_EXPORTER_OTLP_ENDPOINT=${served.plane.url}/ingest/${served.config}`,
        `OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20${key}`,
        'OTEL_EXPORTER_OTLP_COMPRESSION=gzip',
        'OTEL_SERVICE_NAME=python',
      ]
      const { errors, output, status } = await run('env', [...variables, 'python3', join(folder, 'send.py')])
      expect({ errors, output: String(output), status }).toEqual({ errors: '', output: 'True\n', status: 0 })
      const found = await served.search({ query: '{ name = "job" && .queue = "mail" } > { name = "step" }' })
      expect(found).toMatchObject([{ root_service: 'python', root_name: 'job', span_count: 2, partial: false }])
    })
  },
)
