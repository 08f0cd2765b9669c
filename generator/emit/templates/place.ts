/** A position in a text. Lines and columns count from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

/**
 * Returns the start position, `loc.start`, of an error of Handlebars or prettier, or of the options of a helper;
 * undefined if there is none.
 */
export function startOf(told: unknown): Place | undefined {
  const start = memberOf(memberOf(told, 'loc'), 'start')
  const line = memberOf(start, 'line')
  const column = memberOf(start, 'column')
  return typeof line === 'number' && typeof column === 'number' ? { line, column } : undefined
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
