import type { ServiceGraph, Trace, TraceSearchInput, TraceSummary } from '../../../../output/observability/types.ts'
import type { Later } from '../../../server/store/harness.ts'
import { servedPlane, type ServedPlane } from '../ingest/served-plane.ts'
import { traceRequest, type TestSpan } from './sent-spans.ts'

/** A served platform whose workspace takes traces. */
export interface ServedTraces {
  readonly plane: ServedPlane
  /** The id of the config that takes traces. */
  readonly config: string
  readonly place: { readonly workspace: string; readonly engine: string }
  /** Sends spans, which must all be accepted. */
  send(...spans: readonly TestSpan[]): Promise<void>
  get(id: string): Promise<Trace>
  search(body: TraceSearchInput): Promise<readonly TraceSummary[]>
  graph(query?: { readonly service?: string; readonly min_call_count?: number }): Promise<ServiceGraph>
}

/** Serves a platform with a workspace and an ingestion config for traces. */
export async function servedTraces(later: Later): Promise<ServedTraces> {
  const plane = await servedPlane(later)
  const config = await plane.config({ name: 'traces', otlp: {} })
  const { observability } = plane.api
  const place = { workspace: plane.tenant.workspace, engine: 'native' }
  return {
    plane,
    config,
    place,
    async send(...spans) {
      const answer = await plane.push(config, JSON.stringify(traceRequest(spans)), { path: '/v1/traces' })
      const text = await answer.text()
      if (answer.status !== 200 || text !== '{}') throw new Error(`the spans were refused: ${answer.status} ${text}`)
    },
    get: id => observability.getTrace({ ...place, id }),
    search: async body => (await observability.searchTraces({ ...place, body })).traces,
    graph: query => observability.getServiceGraph({ ...place, ...query }),
  }
}
