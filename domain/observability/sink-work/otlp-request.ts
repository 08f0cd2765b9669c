import type { LogEntry } from '../../../output/observability/types.ts'
import { logSeverityValues } from '../../../output/observability/types.ts'
import { nanosecondsOfTime } from '../logql/nano-time.ts'

/** The names in OpenTelemetry of the labels that the platform makes from attributes of resources. */
const attributeNames: Readonly<Record<string, string>> = {
  service_name: 'service.name',
  service_namespace: 'service.namespace',
  deployment_environment: 'deployment.environment.name',
}

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue: string }
}

const attribute = (key: string, stringValue: string): Attribute => ({ key, value: { stringValue } })

/**
 * Returns the request of OTLP/HTTP in JSON (opentelemetry/proto/collector/logs/v1) for lines of a batch: the labels of a
 * stream are the attributes of a resource, and the metadata of an entry are the attributes of a record.
 */
export function otlpRequest(lines: Uint8Array): Uint8Array {
  const resources = new Map<string, { readonly labels: Readonly<Record<string, string>>; readonly records: object[] }>()
  for (const line of Buffer.from(lines).toString('utf8').split('\n')) {
    if (line === '') continue
    // The lines are those of this module's batches.
    const entry = JSON.parse(line) as LogEntry
    const { labels = {} } = entry
    const key = JSON.stringify(labels)
    const resource = resources.get(key) ?? { labels, records: [] }
    resources.set(key, resource)
    resource.records.push(recordOf(entry))
  }
  const resourceLogs = Array.from(resources.values(), ({ labels, records }) => ({
    resource: {
      attributes: Object.entries(labels).map(([name, text]) => attribute(attributeNames[name] ?? name, text)),
    },
    scopeLogs: [{ logRecords: records }],
  }))
  return Buffer.from(JSON.stringify({ resourceLogs }), 'utf8')
}

/** Returns the record of an entry. The numbers of the severities of OpenTelemetry are 1 for TRACE, 5 for DEBUG, and so on. */
function recordOf({ ingest_time, line, metadata, severity, span_id, time, trace_id }: LogEntry): object {
  const rank = logSeverityValues.indexOf(severity)
  return {
    timeUnixNano: String(nanosecondsOfTime(time)),
    observedTimeUnixNano: String(nanosecondsOfTime(ingest_time)),
    ...(rank > 0 && {
      severityNumber: rank * 4 - 3,
      severityText: severity.replace('OBSERVABILITY_LOG_SEVERITY_', ''),
    }),
    body: { stringValue: line },
    attributes: Object.entries(metadata).map(([name, text]) => attribute(name, text)),
    ...(trace_id !== '' && { traceId: trace_id }),
    ...(span_id !== '' && { spanId: span_id }),
  }
}
