import type { JsonObject } from '../../generator/conform/json.ts'

/** The principal that makes a call. */
export interface Caller {
  readonly id: string
  readonly token: string
}

/** The parts of a call of an operation, which faults change. */
export interface Aim {
  /** The caller, by default the administrator of the platform; undefined for an anonymous call. */
  readonly caller: Caller | undefined
  /** The path parameters, keyed by name. */
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** The body; absent if the operation takes no body. */
  readonly body?: JsonObject | undefined
  /** The headers of the request in addition to the headers of every call. */
  readonly headers?: Readonly<Record<string, string>>
  /** The method of the request, if it differs from the method of the operation. */
  readonly method?: string
  /** True if the caller has already used the Idempotency-Key of this call, on the same path and for another request. */
  readonly hasUsedKey?: true
}

export const withPath = (aim: Aim, path: Aim['path']): Aim => ({ ...aim, path: { ...aim.path, ...path } })

export const withQuery = (aim: Aim, query: Aim['query']): Aim => ({ ...aim, query: { ...aim.query, ...query } })

export const withIfMatch = (aim: Aim, etag: string): Aim => ({ ...aim, headers: { 'if-match': `"${etag}"` } })

export const withBody = (aim: Aim, members: JsonObject): Aim => ({ ...aim, body: { ...aim.body, ...members } })
