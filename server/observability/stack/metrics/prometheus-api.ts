import { isRecord } from '../../../../runtime/validation.ts'
import type { MemberClient, MemberResponse } from '../member-client.ts'
import { lateQuery, refusedQuery } from '../refused-query.ts'

/** A call of the HTTP API of Prometheus. */
export interface PrometheusCall {
  /** The path after `/api/v1/`. */
  readonly path: string
  readonly workspace: string
  /** Absent: POST, so that a long query fits. */
  readonly method?: 'GET' | 'POST'
  readonly form: readonly (readonly [name: string, value: string])[]
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/** The time that a member has for its response beyond the time of a query, in milliseconds. */
const graceMs = 2_000

/** Calls of the HTTP API of Prometheus, which Mimir, Thanos and VictoriaMetrics serve too. */
export class PrometheusApi {
  readonly #client: MemberClient

  constructor(client: MemberClient) {
    this.#client = client
  }

  /**
   * Returns `data` of a success. Throws QUERY_TYPE_INVALID, QUERY_EXECUTION_FAILED and QUERY_TIMEOUT
   * for what Prometheus says of a query, and ENGINE_UNAVAILABLE for a response that is not that of the API.
   */
  async call({ form, method = 'POST', path, signal, timeoutMs, workspace }: PrometheusCall): Promise<unknown> {
    const encoded = new URLSearchParams(form.map(([name, value]) => [name, value])).toString()
    const isPost = method === 'POST'
    const response = await this.#client.send({
      isQuery: true,
      path: `/api/v1/${path}${isPost || encoded === '' ? '' : `?${encoded}`}`,
      workspace,
      method,
      ...(isPost && {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new TextEncoder().encode(encoded),
      }),
      timeoutMs: timeoutMs + graceMs,
      ...(signal && { signal }),
    })
    return this.#dataOf(response)
  }

  /** The error of a response that is not that of the API. */
  malformed(): Error {
    return this.#client.unavailable('answers with something else than the API of Prometheus')
  }

  #dataOf(response: MemberResponse): unknown {
    const answer = this.#client.json(response)
    if (!isRecord(answer)) throw this.malformed()
    if (response.status === 200 && answer['status'] === 'success') return answer['data']
    if (answer['status'] === 'error') throw this.#errorOf(response.status, String(answer['errorType']))
    throw this.malformed()
  }

  #errorOf(status: number, type: string): Error {
    if (type === 'timeout' || type === 'canceled') return lateQuery()
    return refusedQuery(this.#client, type === 'bad_data' ? 400 : status)
  }
}
