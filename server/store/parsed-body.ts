import type { SqlValue } from './connection.ts'

/** The JSON of a body; undefined for what is none. */
export function documentOf(body: SqlValue | undefined): unknown {
  if (typeof body !== 'string') return undefined
  try {
    return JSON.parse(body)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
