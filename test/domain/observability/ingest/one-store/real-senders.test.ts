import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OTLPMetricExporter as JsonExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPMetricExporter as ProtobufExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { AggregationTemporality, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../../../server/killed/processes.ts'
import { hasProgram, run } from '../../../../server/programs.ts'
import { testFolder } from '../../../../server/store/harness.ts'
import { key, servedPlane, textOf, type ServedPlane } from '../served-plane.ts'
import { afterTests } from '../../../../undo.ts'

let plane: ServedPlane
let config: string

beforeAll(async () => {
  plane = await servedPlane(afterTests)
  config = await plane.config({ name: 'otlp', otlp: { promote_resource_attributes: ['deployment.environment'] } })
})

const texts = async (query: string) => (await plane.query(query)).map(textOf)

describe('the SDK of OpenTelemetry for JavaScript', () => {
  it.each([
    ['JSON', JsonExporter],
    ['protobuf', ProtobufExporter],
  ])('sends counters, gauges and histograms in %s', async (encoding, Exporter) => {
    const exporter = new Exporter({
      url: `${plane.url}/ingest/${config}/v1/metrics`,
      headers: { authorization: `Bearer ${key}` },
      temporalityPreference: AggregationTemporality.CUMULATIVE,
    })
    const provider = new MeterProvider({
      resource: resourceFromAttributes({
        'service.name': encoding,
        'service.namespace': 'shop',
        'service.instance.id': 'i1',
        'deployment.environment': 'test',
      }),
      readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })],
    })
    onTestFinished(() => provider.shutdown())
    const meter = provider.getMeter('shop', '1.0')
    meter.createCounter('shop.orders', { unit: '{order}' }).add(3, { 'payment.kind': 'card' })
    meter.createGauge('shop.temperature', { unit: 'Cel' }).record(21.5)
    const histogram = meter.createHistogram('shop.checkout.duration', {
      unit: 's',
      advice: { explicitBucketBoundaries: [0.5, 2.5] },
    })
    for (const value of [0.1, 1, 1, 9]) histogram.record(value)
    await provider.forceFlush()
    const of = `deployment_environment=test instance=i1 job=shop/${encoding}`
    const selector = `{job="shop/${encoding}"}`
    expect(await texts(`shop_orders_total${selector}`)).toEqual([
      `__name__=shop_orders_total deployment_environment=test instance=i1 job=shop/${encoding} payment_kind=card 3`,
    ])
    expect(await texts(`shop_temperature_celsius${selector}`)).toEqual([`__name__=shop_temperature_celsius ${of} 21.5`])
    expect((await texts(`shop_checkout_duration_seconds_bucket${selector}`)).sort()).toEqual(
      [
        ['+Inf', 4],
        ['0.5', 1],
        ['2.5', 3],
      ].map(([le, count]) => `__name__=shop_checkout_duration_seconds_bucket ${of} le=${le} ${count}`),
    )
    expect(await texts(`shop_checkout_duration_seconds_sum${selector}`)).toHaveLength(1)
    const [info = ''] = await texts(`target_info${selector}`)
    expect(info).toMatch(/telemetry_sdk_language=nodejs|deployment_environment=test/)
    expect(await texts(`shop_orders_total * on (job, instance) group_left target_info${selector}`)).toHaveLength(1)
  })
})

const python = process.env['NINEFOLD_OTEL_PYTHON']

describe.skipIf(python === undefined)(
  'the SDK of OpenTelemetry for Python (set NINEFOLD_OTEL_PYTHON to run this)',
  () => {
    it('sends metrics with the environment variables that the documentation names', async () => {
      const program = `
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
reader = PeriodicExportingMetricReader(OTLPMetricExporter(), export_interval_millis=3600000)
provider = MeterProvider(metric_readers=[reader])
meter = provider.get_meter("shop")
meter.create_counter("python.jobs", unit="1").add(5, {"queue": "mail"})
meter.create_up_down_counter("python.workers").add(2)
print(provider.force_flush())
provider.shutdown()
`
      const folder = testFolder(onTestFinished)
      writeFileSync(join(folder, 'send.py'), program)
      const variables = [
        `PYTHONPATH=${python}`,
        `OTEL_EXPORTER_OTLP_ENDPOINT=${plane.url}/ingest/${config}`,
        `OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20${key}`,
        'OTEL_EXPORTER_OTLP_COMPRESSION=gzip',
        'OTEL_SERVICE_NAME=python',
      ]
      const { errors, output, status } = await run('env', [...variables, 'python3', join(folder, 'send.py')])
      expect({ errors, output: String(output), status }).toEqual({ errors: '', output: 'True\n', status: 0 })
      expect(await texts('{__name__=~"python_.*"}')).toEqual([
        expect.stringMatching(/^__name__=python_jobs_total .*job=python queue=mail 5$/),
        expect.stringMatching(/^__name__=python_workers .*job=python 2$/),
      ])
    })
  },
)

describe.skipIf(!hasProgram('prometheus'))('Prometheus (install prometheus to run this)', () => {
  it('writes what it scrapes of itself, and both answer the same samples', async () => {
    const id = await plane.config({ name: 'prometheus', prometheus_remote_write: {}, static_labels: { cluster: 'a' } })
    const folder = testFolder(onTestFinished)
    const port = await freePort()
    writeFileSync(
      join(folder, 'prometheus.yml'),
      `global: {scrape_interval: 1s}
scrape_configs: [{job_name: self, static_configs: [{targets: ['127.0.0.1:${port}']}]}]
remote_write:
  - url: ${plane.url}/ingest/${id}/api/v1/write
    authorization: {credentials: ${key}}
    queue_config: {batch_send_deadline: 1s}
`,
    )
    const child = spawn(
      'prometheus',
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    )
    onTestFinished(async () => {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    })
    const theirs = async (query: string, time: number) => {
      const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}&time=${time / 1000}`
      const { data } = (await (await fetch(url)).json()) as {
        readonly data: {
          readonly result: readonly { readonly metric: Record<string, string>; readonly value: [number, string] }[]
        }
      }
      return data.result
        .map(({ metric, value }) => textOf({ metric: { ...metric, cluster: 'a' }, time: '', value: value[1] }))
        .toSorted()
    }
    const query =
      '{job="self",__name__=~"up|prometheus_build_info|prometheus_http_requests_total|go_gc_duration_seconds"}'
    await expect
      .poll(() => plane.query('count_over_time(up{job="self"}[1m])'), { timeout: 60_000 })
      .toMatchObject([{ value: expect.stringMatching(/^(?:[4-9]|\d\d)$/) }])
    const time = Date.now() - 2500
    await expect.poll(async () => (await texts(query)).length).toBeGreaterThan(5)
    const ours = (await plane.query(query, time)).map(textOf).toSorted()
    expect(ours).toEqual(await theirs(query, time))
    const { stats } = await plane.api.observability.getIngestionConfig({
      workspace: plane.tenant.workspace,
      engine: 'native',
      id,
    })
    expect(stats.rejected_reasons).toEqual({})
    const descriptors = await plane.api.observability.listMetricDescriptors({
      workspace: plane.tenant.workspace,
      engine: 'native',
      filter: 'name = "prometheus_http_requests_total"',
    })
    expect(descriptors.metric_descriptors).toMatchObject([{ label_names: expect.arrayContaining(['handler']) }])
  })
})
