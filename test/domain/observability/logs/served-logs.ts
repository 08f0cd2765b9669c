import type { LogEntry, LogQueryInput, LogQueryResponse, LogTailInput } from '../../../../output/observability/types.ts'
import type { Later } from '../../../server/store/harness.ts'
import { servedPlane, type ServedPlane } from '../ingest/served-plane.ts'

/** A log record of OTLP in JSON. */
export type LogRecordJson = Readonly<Record<string, unknown>>

/** A served platform to which a test pushes logs, and whose logs the test reads. */
export interface ServedLogs {
  readonly plane: ServedPlane
  /** An ingestion config for OTLP with the name `otlp`. */
  readonly config: string
  /** Pushes lines of a service at the present time; throws unless all are taken. */
  push(service: string, ...lines: readonly string[]): Promise<void>
  /** Pushes records of a service, and returns the answer. */
  pushRecords(service: string, ...records: readonly LogRecordJson[]): Promise<Response>
  query(body: LogQueryInput): Promise<LogQueryResponse>
  /** Returns the entries that a query answers, in its order by streams. */
  entries(query: string, body?: Partial<LogQueryInput>): Promise<readonly LogEntry[]>
  tail(body: LogTailInput): ReturnType<ServedPlane['api']['observability']['tailLogs']>
}

/** Returns a request of OTLP in JSON with log records of a service. */
export const logsRequest = (service: string, logRecords: readonly LogRecordJson[]) => ({
  resourceLogs: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
      scopeLogs: [{ logRecords }],
    },
  ],
})

/** Serves a platform with a workspace whose ingestion config takes logs. */
export async function servedLogs(later: Later): Promise<ServedLogs> {
  const plane = await servedPlane(later)
  const config = await plane.config({ name: 'otlp', otlp: {} })
  const where = { workspace: plane.tenant.workspace, engine: 'native' }
  const { observability } = plane.api
  const pushRecords: ServedLogs['pushRecords'] = (service, ...records) =>
    plane.push(config, JSON.stringify(logsRequest(service, records)), { path: '/v1/logs' })
  return {
    plane,
    config,
    pushRecords,
    async push(service, ...lines) {
      const now = BigInt(Date.now()) * 1_000_000n
      const records = lines.map((line, i) => ({ timeUnixNano: String(now + BigInt(i)), body: { stringValue: line } }))
      const answer = await pushRecords(service, ...records)
      const text = await answer.text()
      if (answer.status !== 200 || text !== '{}') throw new Error(`${answer.status} ${text}`)
    },
    query: body => observability.queryLogs({ ...where, body }),
    async entries(query, body = {}) {
      const { streams } = await observability.queryLogs({ ...where, body: { query, ...body } })
      return streams.flatMap(({ entries }) => entries)
    },
    tail: body => observability.tailLogs({ ...where, body }),
  }
}
