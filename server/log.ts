import type { LogEntry } from '../runtime/call.ts'

/** Where a server writes its structured lines; pino's loggers are such. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Options of the logger: one JSON line an event to standard error, never a header, a query or a body. */
export const logOptions = {
  level: 'info',
  stream: process.stderr,
  base: null,
  formatters: { level: (label: string) => ({ level: label }) },
  serializers: { req: () => ({}), res: () => ({}) },
  redact: { paths: ['headers', 'body', 'query', 'token', 'authorization', '*.authorization'], remove: true },
}

/** Probes come every few seconds and tell nothing. */
const quietOperations: ReadonlySet<string | undefined> = new Set(['healthz', 'readyz'])

/** Writes one line a request. */
export function requestLine(log: Log): (entry: LogEntry) => void {
  return ({ milliseconds, error, ...entry }) => {
    const fields = { ...entry, ms: Math.round(milliseconds * 100) / 100 }
    if (error !== undefined) log.error({ ...fields, err: error }, 'request failed')
    else if (quietOperations.has(entry.operationId)) log.debug(fields, 'request')
    else log.info(fields, 'request')
  }
}
