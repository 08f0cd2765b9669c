import type { LogSeverity } from '../../../../output/observability/types.ts'
import type { NewEntry } from '../../logs/log-batch.ts'
import type { LogRules } from '../../logs/log-engine.ts'
import type { Labels } from '../../metrics/samples.ts'
import { labelsFault, sortedLabels } from '../label-rules.ts'
import type { LogCollector } from '../log-collector.ts'
import { cutLine, maxLineBytes } from '../log-line.ts'
import type { Refusal, SortedLabels } from '../sample-batch.ts'
import { bodyText } from './attribute-text.ts'
import type { ExportLogsRequest, LogRecord, LogScope, ResourceLogs } from './log-messages.ts'
import { attributeTexts, labelMap, type LabelMap } from './resource-labels.ts'

/** The attributes of a resource that every stream has as labels (observability.md 1, LogStream). */
const streamAttributes: Readonly<Record<string, string>> = {
  'service.name': 'service_name',
  'service.namespace': 'service_namespace',
  'deployment.environment': 'deployment_environment',
  'deployment.environment.name': 'deployment_environment',
}

/** The service of a resource that names none, as senders of OpenTelemetry name it themselves. */
const unknownService = 'unknown_service'

/** The largest number of members of the metadata of an entry, and of bytes of their names and values. */
const maxMetadata = 128
const maxMetadataBytes = 65_536

/** Writes the logs of a request of OTLP into a collector. Throws PAYLOAD_INVALID and PAYLOAD_TOO_LARGE. */
export function readLogs(request: ExportLogsRequest, rules: LogRules, collector: LogCollector): void {
  for (const resource of request.resourceLogs) readResource(resource, rules, collector)
}

function readResource({ resource, scopeLogs }: ResourceLogs, rules: LogRules, collector: LogCollector): void {
  const texts = [...attributeTexts(resource?.attributes ?? [])]
  const labels = streamLabels(texts, rules)
  const others = labelMap(texts.filter(([key]) => !isLabel(key, rules)))
  const refusal = labelsFault(labels, 'a log stream')
  const entries = refusal ? [] : collector.stream(labels)
  for (const { logRecords, scope } of scopeLogs) {
    const shared = new Map([...others, ...scopeMetadata(scope)])
    for (const record of logRecords) {
      collector.count()
      const read = refusal ?? readRecord(record, shared, collector)
      if ('reason' in read) collector.refuse(read)
      else entries.push(read)
    }
  }
}

const isLabel = (key: string, { promotedAttributes }: LogRules): boolean =>
  Object.hasOwn(streamAttributes, key) || promotedAttributes.includes(key)

function streamLabels(texts: readonly (readonly [string, string])[], rules: LogRules): SortedLabels {
  const own = texts.flatMap(([key, text]) => {
    const name = Object.hasOwn(streamAttributes, key) ? streamAttributes[key] : undefined
    return name === undefined || text === '' ? [] : [[name, text] as const]
  })
  const promoted = labelMap(texts.filter(([key]) => rules.promotedAttributes.includes(key)))
  return sortedLabels(
    new Map([
      ['service_name', unknownService],
      ...promoted,
      ...own,
      ['ingestion_config', rules.config],
      ...Object.entries(rules.staticLabels),
    ]),
  )
}

const scopeMetadata = (scope: LogScope | undefined): LabelMap =>
  new Map([
    ...labelMap([...attributeTexts(scope?.attributes ?? [])]),
    ...(scope?.name ? [['scope_name', scope.name] as const] : []),
    ...(scope?.version ? [['scope_version', scope.version] as const] : []),
  ])

/** Returns the entry of a record, or why the record is refused. */
function readRecord(record: LogRecord, shared: LabelMap, collector: LogCollector): NewEntry | Refusal {
  const { observedTimeUnixNano: observed = 0n, severityText = '', timeUnixNano: sent = 0n } = record
  const text = bodyText(record.body, maxLineBytes)
  const line = cutLine(text)
  const all = new Map([
    ...shared,
    ...labelMap([...attributeTexts(record.attributes)]),
    ...(severityText === '' ? [] : [['severity_text', severityText] as const]),
    ...(line === text ? [] : [['truncated', 'true'] as const]),
  ])
  const refusal = metadataFault(all)
  if (refusal) return refusal
  const metadata: Labels = Object.fromEntries([...all].filter(([, value]) => value !== ''))
  for (const [name, value] of all) collector.charge(name.length + value.length)
  const time = sent === 0n ? observed : sent
  return {
    time: time === 0n ? undefined : time,
    line,
    metadata,
    severity: severityOf(record.severityNumber ?? 0, severityText),
    traceId: idOf(record.traceId, 32),
    spanId: idOf(record.spanId, 16),
  }
}

function metadataFault(metadata: LabelMap): Refusal | undefined {
  if (metadata.size > maxMetadata)
    return {
      reason: 'metadata_limit',
      message: `an entry has ${metadata.size} attributes of at most ${maxMetadata} that are no labels`,
    }
  let bytes = 0
  for (const [name, value] of metadata) bytes += Buffer.byteLength(name) + Buffer.byteLength(value)
  if (bytes <= maxMetadataBytes) return undefined
  return { reason: 'metadata_limit', message: `an entry has more than ${maxMetadataBytes} bytes of attributes` }
}

/** Returns an id in hexadecimal digits; empty for one of another length, or of zeros only. */
export const idOf = (id: string | undefined, digits: number): string =>
  id?.length === digits && /^(?!0+$)[0-9a-f]+$/.test(id) ? id : ''

/** The severities from the number 1 on, each of which has four numbers (opentelemetry/proto/logs/v1, SeverityNumber). */
const severities = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'] as const

/** Other names of severities, as libraries of logging have them. */
const synonyms: Readonly<Record<string, (typeof severities)[number]>> = {
  INFORMATION: 'INFO',
  NOTICE: 'INFO',
  WARNING: 'WARN',
  CRITICAL: 'FATAL',
}

/** Returns the severity of a number, or else of a text. */
export function severityOf(number: number, text: string): LogSeverity {
  const name = text.toUpperCase()
  const synonym = Object.hasOwn(synonyms, name) ? synonyms[name] : undefined
  const byText = synonym ?? severities.find(each => each === name)
  const byNumber = number === 0 ? byText : severities[Math.floor((number - 1) / 4)]
  return `OBSERVABILITY_LOG_SEVERITY_${byNumber ?? 'UNSPECIFIED'}`
}
