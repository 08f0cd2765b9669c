import type { SearchTracesResponse, Trace, TraceSearchInput } from '../../../../output/observability/types.ts'
import { addTenant } from '../../../areas/members.ts'
import type { Later } from '../../../server/store/harness.ts'
import { encoded, withByteIds } from '../ingest/encoded-messages.ts'
import { key, servedPlane, type ServedPlane } from '../ingest/served-plane.ts'
import { startJaeger } from './real-jaeger.ts'
import { withStacks } from './stack-settings.ts'

/** The engines that take the same spans: `far` is a stack with Jaeger, and `native` the engine of the platform. */
export type TestedEngine = 'far' | 'native'

/** A sender of a workspace. */
export interface TraceSender {
  readonly workspace: string
  /** Sends a request to an engine; returns the status and the text of the answer. */
  push(engine: TestedEngine, request: object | Uint8Array, form?: 'json' | 'protobuf'): Promise<[number, string]>
  /** Sends a request to both engines, which must take all of it. */
  send(request: object, form?: 'json' | 'protobuf'): Promise<void>
  get(engine: TestedEngine, id: string): Promise<Trace>
  search(engine: TestedEngine, body: TraceSearchInput): Promise<SearchTracesResponse>
  /** Returns the ids of all pages of a search. */
  pages(engine: TestedEngine, body: TraceSearchInput): Promise<readonly (readonly string[])[]>
}

/** A served platform with Jaeger, and senders of two workspaces. */
export interface JaegerPlane {
  readonly plane: ServedPlane
  readonly mine: TraceSender
  readonly theirs: TraceSender
  /** Returns a sender of a new workspace, whose rate no other sender has used. */
  another(name: string): Promise<TraceSender>
}

/** Serves a platform with Jaeger until `later` ends both. */
export async function jaegerPlane(later: Later): Promise<JaegerPlane> {
  const plane = await servedPlane(later, withStacks({ name: 'far', ...(await startJaeger(later)) }))
  const another = async (name: string) => senderOf(plane, (await addTenant(plane.api, name)).workspace)
  const mine = await senderOf(plane, plane.tenant.workspace)
  return { plane, mine, theirs: await another('other'), another }
}

async function senderOf(plane: ServedPlane, workspace: string): Promise<TraceSender> {
  const { observability } = plane.api
  const body = {
    name: 'spans',
    otlp: {},
    static_labels: { region: 'north' },
    ingest_keys: [{ name: 'sender', secret: key }],
  }
  const configOn = async (engine: TestedEngine) =>
    (await observability.createIngestionConfig({ workspace, engine, body })).resource_id
  const configs = { far: await configOn('far'), native: await configOn('native') }
  const push: TraceSender['push'] = async (engine, request, form = 'json') => {
    const headers = { 'content-type': form === 'json' ? 'application/json' : 'application/x-protobuf' }
    const sent = form === 'json' ? JSON.stringify(request) : protobufOf(request)
    const answer = await plane.push(configs[engine], sent, { path: '/v1/traces', headers })
    return [answer.status, await answer.text()]
  }
  const search: TraceSender['search'] = (engine, given) =>
    observability.searchTraces({ workspace, engine, body: given })
  return {
    workspace,
    push,
    search,
    async send(request, form = 'json') {
      for (const engine of ['far', 'native'] as const) {
        const [status, text] = await push(engine, request, form)
        if (status !== 200 || !['', '{}'].includes(text)) throw new Error(`refused by ${engine}: ${status} ${text}`)
      }
    },
    get: (engine, id) => observability.getTrace({ workspace, engine, id }),
    async pages(engine, given) {
      const pages: string[][] = []
      let page_token = ''
      do {
        const page = await search(engine, { ...given, page_token })
        pages.push(page.traces.map(({ trace_id }) => trace_id))
        page_token = page.next_page_token
      } while (page_token !== '')
      return pages
    },
  }
}

const protobufOf = (request: object): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(request instanceof Uint8Array ? request : encoded('ExportTraceServiceRequest', withByteIds(request)))
