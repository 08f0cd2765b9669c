import { traceqlText } from '../../../../domain/observability/stacks/queries/traceql-text.ts'
import type { LabelledWorkspace } from '../../../../domain/observability/stacks/queries/workspace-label.ts'
import { startMicros, type LoadedTrace } from '../../../../domain/observability/traces/loaded-trace.ts'
import { SpanBudget } from '../../../../domain/observability/traces/span-budget.ts'
import type { TraceQuery } from '../../../../domain/observability/traces/trace-engine.ts'
import { isRecord } from '../../../../runtime/validation.ts'
import type { MemberClient } from '../member-client.ts'
import { refusedReading, refusedSearch } from '../refused-query.ts'
import { readTraces } from './read-traces.ts'
import { timeoutMs, type Candidates, type TraceBackend } from './trace-backend.ts'

/** The number of traces that are read at one time. */
const parallel = 4

/** The traces that a search asks for beyond its limit: Tempo knows ends of ranges to the second only. */
const extraTraces = 20

/** The HTTP API of Tempo. */
export class Tempo implements TraceBackend {
  readonly #client: MemberClient

  constructor(client: MemberClient) {
    this.#client = client
  }

  async trace(workspace: string, traceId: string, signal: AbortSignal): Promise<LoadedTrace | undefined> {
    const headers = { accept: 'application/protobuf' }
    const asked = { isQuery: true, path: `/api/traces/${traceId}`, workspace, headers, timeoutMs, signal } as const
    const { body, status } = await this.#client.send(asked)
    if (status === 404) return undefined
    // A trace of Tempo has its resources under the number that they have in a request of an exporter.
    if (status !== 200) throw refusedReading(this.#client, status)
    const traces = readTraces(body, 'otlp-protobuf', this.#labelled(workspace))
    if (traces === undefined) throw this.#malformed()
    return traces.find(trace => trace.traceId === traceId)
  }

  async *candidates(
    workspace: string,
    query: TraceQuery,
    end: number,
    signal: AbortSignal,
  ): AsyncGenerator<Candidates> {
    const limit = query.limit + extraTraces
    const form = new URLSearchParams({
      q: traceqlText(query, this.#labelled(workspace)),
      start: String(Math.floor(query.start / 1e6)),
      end: String(Math.ceil(end / 1e6)),
      limit: String(limit),
    })
    const asked = { isQuery: true, path: `/api/search?${form}`, workspace, timeoutMs: query.timeoutMs, signal } as const
    const response = await this.#client.send(asked)
    if (response.status !== 200) throw refusedSearch(this.#client, response.status)
    const ids = this.#ids(this.#client.json(response))
    const budget = new SpanBudget(query.timeoutMs, () => signal.aborted)
    const traces: LoadedTrace[] = []
    // A store may answer more traces than it is asked for.
    for (let at = 0; at < Math.min(ids.length, limit); at += parallel) {
      const loaded = ids.slice(at, Math.min(at + parallel, limit)).map(id => this.trace(workspace, id, signal))
      for (const trace of await Promise.all(loaded)) {
        for (let i = trace?.spans.length ?? 0; i > 0; i -= 1) budget.spend()
        if (trace !== undefined) traces.push(trace)
      }
    }
    // A full answer has any traces that fit; the next page searches those before the earliest one.
    const starts = ids.length < limit ? [] : traces.map(startMicros).filter(at => at >= query.start && at < end)
    yield { traces, from: starts.length === 0 ? query.start : Math.min(...starts) }
  }

  /** Returns the ids of found traces, each once; Tempo leaves zeros at the beginning out. */
  #ids(answer: unknown): readonly string[] {
    const traces = isRecord(answer) ? (answer['traces'] ?? []) : undefined
    if (!Array.isArray(traces)) throw this.#malformed()
    const ids = traces.map(each => String(isRecord(each) ? each['traceID'] : '').toLowerCase())
    if (ids.some(id => !/^[0-9a-f]{1,32}$/.test(id))) throw this.#malformed()
    return [...new Set(ids.map(id => id.padStart(32, '0')))]
  }

  #labelled(workspace: string): LabelledWorkspace {
    return this.#client.member.hasTenants ? undefined : workspace
  }

  #malformed(): Error {
    return this.#client.unavailable('answers with something else than the API of Tempo')
  }
}
