import { isRecord } from '../../../../runtime/validation.ts'
import { mayBeIncomplete, warningsIn } from '../doubts.ts'
import type { MemberClient, MemberResponse } from '../member-client.ts'
import { lateQuery, refusedQuery } from '../refused-query.ts'
import { MalformedResult } from './result-values.ts'

/** A call of the HTTP API of Prometheus. */
export interface PrometheusCall {
  /** The path after `/api/v1/`. */
  readonly path: string
  readonly workspace: string
  /** Absent: POST, so that a long query fits. */
  readonly method?: 'GET' | 'POST'
  readonly form: readonly (readonly [name: string, value: string])[]
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Returns the error of a refusal with a status; absent: that of a query. */
  readonly refused?: (client: MemberClient, status: number) => Error
}

/** What a store warns about. */
export interface PrometheusWarnings {
  /**
   * Whether data may be missing: the store says that some of its parts have not answered (`isPartial` of
   * VictoriaMetrics), or has a warning that is not about the query.
   */
  readonly isPartial: boolean
  /** Whether the store has a warning about the query. */
  readonly isAboutQuery: boolean
}

/** The answer to a call. */
export interface PrometheusAnswer extends PrometheusWarnings {
  readonly data: unknown
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
   * Returns `data` of a success. Throws QUERY_TYPE_INVALID, QUERY_EXECUTION_FAILED and QUERY_TIMEOUT for what Prometheus
   * says of a query, the error of `refused`, and ENGINE_UNAVAILABLE for a response that is not that of the API.
   */
  async call(asked: PrometheusCall): Promise<PrometheusAnswer> {
    const { form, method = 'POST', path, refused, signal, timeoutMs, workspace } = asked
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
      signal,
    })
    return this.#dataOf(response, refused ?? refusedQuery)
  }

  /** The error of a response that is not that of the API. */
  malformed(): Error {
    return this.#client.unavailable('answers with something else than the API of Prometheus')
  }

  /** The error of an answer in which data may be missing. */
  partial(): Error {
    return this.#client.unavailable(mayBeIncomplete)
  }

  /** Returns the value that `read` reads. Throws ENGINE_UNAVAILABLE for a MalformedResult. */
  read<T>(read: () => T): T {
    try {
      return read()
    } catch (error) {
      throw error instanceof MalformedResult ? this.malformed() : error
    }
  }

  #dataOf(response: MemberResponse, refused: NonNullable<PrometheusCall['refused']>): PrometheusAnswer {
    const answer = this.#client.json(response)
    if (!isRecord(answer)) throw this.malformed()
    if (response.status === 200 && answer['status'] === 'success')
      return this.read(() => ({ data: answer['data'], ...warningsOf(answer) }))
    if (answer['status'] === 'error')
      throw errorOf(String(answer['errorType']), status => refused(this.#client, status ?? response.status))
    throw this.malformed()
  }
}

/**
 * The beginning of a warning of Prometheus about a query, from version 2.48 on; version 3 has a member of its own for
 * those of the kind `info`, which may be false. Prometheus leaves out warnings above ten and tells their number: data may
 * then be missing, because nobody knows what these warnings are about.
 */
const aboutQuery = /^PromQL (info|warning): /

/** Returns what an answer warns about. Throws MalformedResult. */
function warningsOf({ isPartial = false, warnings }: Readonly<Record<string, unknown>>): PrometheusWarnings {
  if (typeof isPartial !== 'boolean') throw new MalformedResult()
  const kinds = warningsIn(warnings).map(text => aboutQuery.exec(text)?.[1])
  return { isPartial: isPartial || kinds.includes(undefined), isAboutQuery: kinds.includes('warning') }
}

/** Returns the error for a type of errors of Prometheus; `refused` returns that of a status, or of the response. */
function errorOf(type: string, refused: (status?: number) => Error): Error {
  if (type === 'timeout' || type === 'canceled') return lateQuery()
  return type === 'bad_data' ? refused(400) : refused()
}
