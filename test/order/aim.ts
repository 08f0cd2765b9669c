import type { JsonObject } from '../../generator/conform/json.ts'

/** A principal in whose name calls are made. */
export interface Caller {
  readonly id: string
  readonly token: string
}

/** The parts of a call of an operation, which faults change. */
export interface Aim {
  /** The caller, by default the administrator of the platform; undefined for an anonymous call. */
  readonly caller: Caller | undefined
  /** Path parameters by name. */
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** Absent where the operation takes no body. */
  readonly body?: JsonObject | undefined
  /** Instead of the method of the operation. */
  readonly method?: string
  /** The caller has used the key of this call before, on the same path and for another request. */
  readonly hasUsedKey?: true
}

export const withPath = (aim: Aim, path: Aim['path']): Aim => ({ ...aim, path: { ...aim.path, ...path } })

export const withQuery = (aim: Aim, query: Aim['query']): Aim => ({ ...aim, query: { ...aim.query, ...query } })

export const withBody = (aim: Aim, members: JsonObject): Aim => ({ ...aim, body: { ...aim.body, ...members } })
