import type { SqlValue } from './connection.ts'

/** Returns the value of the JSON in a body; undefined for other text. */
export function documentOf(body: SqlValue | undefined): unknown {
  if (typeof body !== 'string') return undefined
  try {
    return JSON.parse(body)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
