import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SeverityNumber } from '@opentelemetry/api-logs'
import { OTLPLogExporter as JsonExporter } from '@opentelemetry/exporter-logs-otlp-http'
import { OTLPLogExporter as ProtobufExporter } from '@opentelemetry/exporter-logs-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { run } from '../../../../server/programs.ts'
import { testFolder } from '../../../../server/store/harness.ts'
import { afterTests } from '../../../../undo.ts'
import { servedLogs, type ServedLogs } from '../../logs/served-logs.ts'
import { key } from '../served-plane.ts'

let served: ServedLogs

beforeAll(async () => {
  served = await servedLogs(afterTests)
})

describe('the SDK of OpenTelemetry for JavaScript', () => {
  it.each([
    ['json', JsonExporter],
    ['protobuf', ProtobufExporter],
  ])('sends logs in %s', async (encoding, Exporter) => {
    const exporter = new Exporter({
      url: `${served.plane.url}/ingest/${served.config}/v1/logs`,
      headers: { authorization: `Bearer ${key}` },
    })
    const provider = new LoggerProvider({
      resource: resourceFromAttributes({ 'service.name': encoding, 'host.name': 'h1' }),
      processors: [new BatchLogRecordProcessor({ exporter })],
    })
    onTestFinished(() => provider.shutdown())
    const logger = provider.getLogger('shop', '1.0')
    logger.emit({
      severityNumber: SeverityNumber.WARN,
      severityText: 'WARN',
      body: { order: 5, paid: false },
      attributes: { 'payment.kind': 'card' },
    })
    await provider.forceFlush()
    expect(await served.entries(`{service_name="${encoding}"}`)).toMatchObject([
      {
        line: '{"order":5,"paid":false}',
        severity: 'OBSERVABILITY_LOG_SEVERITY_WARN',
        metadata: { host_name: 'h1', payment_kind: 'card', scope_name: 'shop', severity_text: 'WARN' },
      },
    ])
  })
})

const python = process.env['NINEFOLD_OTEL_PYTHON']

describe.skipIf(python === undefined)(
  'the SDK of OpenTelemetry for Python (set NINEFOLD_OTEL_PYTHON to run this)',
  () => {
    it('sends what the module logging logs', async () => {
      const program = `
import logging
from opentelemetry.sdk._logs import LoggerProvider, LoggingHandler
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
provider = LoggerProvider()
provider.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
logging.getLogger("mails").addHandler(LoggingHandler(logger_provider=provider))
logging.getLogger("mails").error("mail %s was not sent", 7, extra={"queue": "welcome"})
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
      expect(await served.entries('{service_name="python"}')).toMatchObject([
        {
          line: 'mail 7 was not sent',
          severity: 'OBSERVABILITY_LOG_SEVERITY_ERROR',
          metadata: expect.objectContaining({ queue: 'welcome' }),
        },
      ])
    })
  },
)
