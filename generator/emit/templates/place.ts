/** A position in a text, counted from one. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** Returns the start position in errors of Handlebars and prettier, `loc.start`; undefined if there is none. */
export function startOf(told: unknown): Place | undefined {
  const start = memberOf(memberOf(told, 'loc'), 'start')
  const line = memberOf(start, 'line')
  const column = memberOf(start, 'column')
  return typeof line === 'number' && typeof column === 'number' ? { line, column } : undefined
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
