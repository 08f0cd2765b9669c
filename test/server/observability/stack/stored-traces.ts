import type { TraceQuery } from '../../../../domain/observability/traces/trace-engine.ts'
import { ApiError } from '../../../../runtime/errors.ts'
import { workspace } from './api-member.ts'

export const startMicros = 1_764_500_000_000_000

/** A range of a minute. */
export const range = { start: startMicros, end: startMicros + 60_000_000 }

export const signal = new AbortController().signal

export const query: TraceQuery = {
  ...range,
  query: '{ resource.service.name = "api" && duration > 100ms }',
  service: '',
  spanName: '',
  attributes: {},
  limit: 2,
  timeoutMs: 60_000,
}

/** Returns the id of a trace by its number. */
export const idOf = (n: number): string => String(n).padStart(32, '0')

const text = (key: string, value: string) => ({ key, value: { stringValue: value } })

/** Returns the resource of a trace with one span of 250 ms, which starts `seconds` after the range. */
export const resourceSpans = (n: number, seconds: number, owner = workspace, name = `GET /${n}`) => ({
  resource: { attributes: [text('service.name', 'api'), text('workspace_id', owner)] },
  scopeSpans: [
    {
      spans: [
        {
          traceId: idOf(n),
          spanId: `1234567890abcde${owner === workspace ? 'f' : '0'}`,
          name,
          startTimeUnixNano: `${startMicros / 1e6 + seconds}000000000`,
          endTimeUnixNano: `${startMicros / 1e6 + seconds}250000000`,
          attributes: [text('http.route', '/')],
        },
      ],
    },
  ],
})

/** Returns the `ApiError` of a call. */
export async function errorOf(call: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await call.catch((e: unknown) => e)
  if (!(error instanceof ApiError)) throw error
  return error
}
