import { exactNanoseconds, hexId, small, text } from '../wire/kinds.ts'
import { many, MessageKind, one } from '../wire/message.ts'
import { anyValue, keyValue, resource, type Read } from './common-messages.ts'

const logRecord = new MessageKind({
  timeUnixNano: one(1, exactNanoseconds),
  observedTimeUnixNano: one(11, exactNanoseconds),
  severityNumber: one(2, small),
  severityText: one(3, text),
  body: one(5, anyValue),
  attributes: many(6, keyValue),
  traceId: one(9, hexId),
  spanId: one(10, hexId),
})

const scope = new MessageKind({ name: one(1, text), version: one(2, text), attributes: many(3, keyValue) })

const resourceLogs = new MessageKind({
  resource: one(1, resource),
  scopeLogs: many(2, new MessageKind({ scope: one(1, scope), logRecords: many(2, logRecord) })),
})

/** A request of an exporter of logs (opentelemetry/proto/collector/logs/v1). */
export const exportLogsRequest = new MessageKind({ resourceLogs: many(1, resourceLogs) })

/** The logs of a resource. */
export type ResourceLogs = Read<typeof resourceLogs>

/** The scope of an instrumentation. */
export type LogScope = Read<typeof scope>

/** A log record. */
export type LogRecord = Read<typeof logRecord>

/** A request of an exporter of logs. */
export type ExportLogsRequest = Read<typeof exportLogsRequest>
