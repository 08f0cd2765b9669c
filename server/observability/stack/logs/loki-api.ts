import type { LabelledWorkspace } from '../../../../domain/observability/stacks/queries/workspace-label.ts'
import { mayBeIncomplete, warningsIn } from '../doubts.ts'
import type { MemberClient, MemberResponse } from '../member-client.ts'
import { MalformedResult, recordOf } from '../metrics/result-values.ts'
import { refusedQuery } from '../refused-query.ts'

/** A call of the HTTP API of Loki. */
export interface LokiCall {
  readonly workspace: string
  /** The path after `/loki/api/v1/`. */
  readonly path: string
  readonly form: readonly (readonly [name: string, value: string])[]
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Returns the error of a refusal with a status; absent: that of a query. */
  readonly refused?: (client: MemberClient, status: number) => Error
}

/** The time that a member has for its response beyond the time of a query, in milliseconds. */
const graceMs = 2_000

/** The header by which Loki answers the labels of streams, parsed labels and structured metadata apart. */
const categories = { 'x-loki-response-encoding-flags': 'categorize-labels' }

/** The beginning of the warning that Loki has in each answer of its new engine, in which no data is missing. */
const aboutEngine = /^Query was executed using the new experimental query engine/

/** Calls of the HTTP API of Loki. */
export class LokiApi {
  readonly #client: MemberClient

  constructor(client: MemberClient) {
    this.#client = client
  }

  /** Returns the workspace by whose label its streams are told apart. */
  labelled(workspace: string): LabelledWorkspace {
    return this.#client.member.hasTenants ? undefined : workspace
  }

  /**
   * Returns the result of reading `data` of a success, as `doubtful` does. Throws ENGINE_UNAVAILABLE also for an answer in
   * which data may be missing.
   */
  async call<T>(call: LokiCall, read: (data: unknown) => T): Promise<T> {
    return this.doubtful(call, (data, isPartial) => {
      if (isPartial) throw this.#client.unavailable(mayBeIncomplete)
      return read(data)
    })
  }

  /**
   * Returns the result of reading `data` of a success, with whether data may be missing, because Loki warns. Throws the error of `refused` for a refusal, and ENGINE_UNAVAILABLE
   * for a response that is not that of the API; `read` throws MalformedResult for such a response.
   */
  async doubtful<T>(call: LokiCall, read: (data: unknown, isPartial: boolean) => T): Promise<T> {
    const { form, path, refused = refusedQuery, signal, timeoutMs, workspace } = call
    const asked = new URLSearchParams(form.map(([name, value]) => [name, value]))
    const response = await this.#client.send({
      isQuery: true,
      path: `/loki/api/v1/${path}?${asked}`,
      workspace,
      headers: categories,
      timeoutMs: timeoutMs + graceMs,
      signal,
    })
    // Loki answers faults of queries in plain text.
    if ([400, 422, 503].includes(response.status)) throw refused(this.#client, response.status)
    try {
      const { data, isPartial } = this.#answerOf(response)
      return read(data, isPartial)
    } catch (error) {
      if (!(error instanceof MalformedResult)) throw error
      throw this.#client.unavailable('answers with something else than the API of Loki')
    }
  }

  #answerOf(response: MemberResponse): { readonly data: unknown; readonly isPartial: boolean } {
    const answer = recordOf(this.#client.json(response))
    if (response.status !== 200 || answer['status'] !== 'success') throw new MalformedResult()
    const isPartial = warningsIn(answer['warnings']).some(text => !aboutEngine.test(text))
    return { data: answer['data'], isPartial }
  }
}
