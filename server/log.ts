import type { LogEntry } from '../runtime/outcome.ts'

/** A logger with structured lines; pino's loggers have this shape. */
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

/** The maximal number of nested causes that are logged. */
const maxCauses = 5

/**
 * Returns the logged form of a thrown value: kind, message, stack and code, also of its causes. Other members are left
 * out, because they may hold data of a caller.
 */
function thrownFields(thrown: unknown, depth = 0): ThrownFields {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: '', stack: '' }
  const { name: type, message, stack = '', cause } = thrown
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
  const deeper = cause === undefined || depth === maxCauses ? {} : { cause: thrownFields(cause, depth + 1) }
  return { type, message, stack, ...(code !== undefined && { code }), ...deeper }
}

/** The levels of the log; a log has the lines of its level and of the levels after it. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const

export type LogLevel = (typeof logLevels)[number]

/** The options of the logger: one JSON line for each event on standard error, never a header, a query or a body. */
export const logOptions = {
  stream: process.stderr,
  base: null,
  formatters: { level: (label: string) => ({ level: label }) },
  serializers: { req: () => ({}), res: () => ({}), err: (thrown: unknown) => thrownFields(thrown) },
  redact: { paths: ['headers', 'body', 'query', 'token', 'authorization', '*.authorization'], remove: true },
}

/**
 * The operations whose calls are logged at the level debug: probes come every few seconds, and their lines would carry
 * no information.
 */
const quietOperations: ReadonlySet<string | undefined> = new Set(['healthz', 'readyz', 'metrics'])

/** Returns a function that writes one line for each request. */
export function requestLine(log: Log): (entry: LogEntry) => void {
  return entry => {
    // Naming the members costs a thirtieth of copying them by a rest pattern.
    const { requestId, traceId, method, path, operationId, operation, principalId } = entry
    const { clientAddress, status, code, reason, milliseconds, error } = entry
    const called = { requestId, traceId, method, path, operationId, principalId, clientAddress, status, code, reason }
    const fields = { ...called, area: operation?.area, ms: Math.round(milliseconds * 100) / 100 }
    if (error !== undefined) log.error({ ...fields, err: error }, 'request failed')
    else if (quietOperations.has(operationId)) log.debug(fields, 'request')
    else log.info(fields, 'request')
  }
}
