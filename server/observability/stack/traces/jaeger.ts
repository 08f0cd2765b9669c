import { lacking } from '../../../../domain/observability/stacks/stack.ts'
import {
  workspaceLabel,
  type LabelledWorkspace,
} from '../../../../domain/observability/stacks/queries/workspace-label.ts'
import type { LoadedTrace } from '../../../../domain/observability/traces/loaded-trace.ts'
import type { TraceQuery } from '../../../../domain/observability/traces/trace-engine.ts'
import { isRecord } from '../../../../runtime/validation.ts'
import type { MemberClient, MemberResponse } from '../member-client.ts'
import { refusedReading, refusedSearch } from '../refused-query.ts'
import { readTraces } from './read-traces.ts'
import { timeoutMs, type Candidates, type TraceBackend } from './trace-backend.ts'

/** The API v3 of Jaeger; the address of the member ends in `/api/v3`. */
export class Jaeger implements TraceBackend {
  readonly #client: MemberClient

  constructor(client: MemberClient) {
    this.#client = client
  }

  async trace(workspace: string, traceId: string, signal: AbortSignal): Promise<LoadedTrace | undefined> {
    const response = await this.#client.send({
      isQuery: true,
      path: `/traces/${traceId}`,
      workspace,
      timeoutMs,
      signal,
    })
    if (response.status === 404) return undefined
    if (response.status !== 200) throw refusedReading(this.#client, response.status)
    return this.#traces(response, workspace).find(trace => trace.traceId === traceId)
  }

  /** Throws ENGINE_CAPABILITY_UNSUPPORTED for a search in TraceQL or without a service, neither of which Jaeger knows. */
  async candidates(workspace: string, query: TraceQuery, end: number, signal: AbortSignal): Promise<Candidates> {
    const { limit, maxDuration, minDuration, service, spanName, start } = query
    if (query.query.trim() !== '') throw lacking('Jaeger does not search in TraceQL', 'TRACEQL')
    if (service === '')
      throw lacking('Jaeger searches the traces of one service; name a service', 'SEARCH_ALL_SERVICES')
    const labelled = this.#labelled(workspace)
    const attributes = { ...query.attributes, ...(labelled !== undefined && { [workspaceLabel]: labelled }) }
    const asked = new URLSearchParams({
      'query.service_name': service,
      ...(spanName !== '' && { 'query.operation_name': spanName }),
      'query.start_time_min': timeText(start),
      'query.start_time_max': timeText(end),
      ...(minDuration !== undefined && { 'query.duration_min': `${minDuration}ns` }),
      ...(maxDuration !== undefined && { 'query.duration_max': `${maxDuration}ns` }),
      ...(Object.keys(attributes).length > 0 && { 'query.attributes': JSON.stringify(texts(attributes)) }),
      'query.search_depth': String(limit + 1),
    })
    const response = await this.#client.send({
      isQuery: true,
      path: `/traces?${asked}`,
      workspace,
      timeoutMs: query.timeoutMs,
      signal,
    })
    const { status } = response
    if (status !== 200 && status !== 404) throw refusedSearch(this.#client, status)
    const traces = status === 404 ? [] : this.#traces(response, workspace)
    return { traces, isFull: traces.length > limit }
  }

  #traces(response: MemberResponse, workspace: string): readonly LoadedTrace[] {
    const answer = this.#client.json(response)
    const result = isRecord(answer) ? answer['result'] : undefined
    const body = new TextEncoder().encode(JSON.stringify(isRecord(result) ? result : undefined) ?? '')
    const traces = readTraces(body, 'otlp-json', this.#labelled(workspace))
    if (traces !== undefined) return traces
    throw this.#client.unavailable('answers with something else than the API of Jaeger')
  }

  #labelled(workspace: string): LabelledWorkspace {
    return this.#client.member.hasTenants ? undefined : workspace
  }
}

const timeText = (micros: number): string => new Date(micros / 1000).toISOString()

/** Returns attributes as texts, as Jaeger compares them. */
const texts = (attributes: TraceQuery['attributes']) =>
  Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, String(value)]))
