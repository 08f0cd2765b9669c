import type { LogEntry } from '../runtime/outcome.ts'

/** Where a server writes its structured lines; pino's loggers are such. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

interface ThrownFields extends Record<string, unknown> {
  readonly type: string
  readonly message: string
  readonly stack: string
}

/** How deep the causes of an error are followed. */
const maxCauses = 5

/**
 * What is logged of something thrown: its kind, message and stack, and those of its causes. Its other members are left
 * out, since they may hold what a caller sent.
 */
function thrownFields(thrown: unknown, depth = 0): ThrownFields {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: '', stack: '' }
  const { name: type, message, stack = '', cause } = thrown
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
  const deeper = cause === undefined || depth === maxCauses ? {} : { cause: thrownFields(cause, depth + 1) }
  return { type, message, stack, ...(code !== undefined && { code }), ...deeper }
}

/** Options of the logger: one JSON line an event to standard error, never a header, a query or a body. */
export const logOptions = {
  level: 'info',
  stream: process.stderr,
  base: null,
  formatters: { level: (label: string) => ({ level: label }) },
  serializers: { req: () => ({}), res: () => ({}), err: (thrown: unknown) => thrownFields(thrown) },
  redact: { paths: ['headers', 'body', 'query', 'token', 'authorization', '*.authorization'], remove: true },
}

/** Probes come every few seconds and tell nothing. */
const quietOperations: ReadonlySet<string | undefined> = new Set(['healthz', 'readyz', 'metrics'])

/** Writes one line a request. */
export function requestLine(log: Log): (entry: LogEntry) => void {
  return ({ milliseconds, error, operation, ...entry }) => {
    const fields = { ...entry, area: operation?.area, ms: Math.round(milliseconds * 100) / 100 }
    if (error !== undefined) log.error({ ...fields, err: error }, 'request failed')
    else if (quietOperations.has(entry.operationId)) log.debug(fields, 'request')
    else log.info(fields, 'request')
  }
}
