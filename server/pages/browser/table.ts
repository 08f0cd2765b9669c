import { written, type Unit } from './scales.ts'

/** A line with its name. */
export interface NamedLine {
  readonly name: string
  readonly values: readonly (number | null)[]
}

const columns = ['Line', 'Last', 'Mean', 'Least', 'Most'] as const

/** Shows what a chart tells as a table, for readers who do not see the chart. */
export function fillTable(table: HTMLTableElement, lines: readonly NamedLine[], unit: Unit): void {
  const head = document.createElement('thead')
  head.append(rowOf(columns.map(text => cell('th', text, 'col'))))
  const body = document.createElement('tbody')
  body.append(
    ...lines.map(({ name, values }) => {
      const texts = summaryOf(values).map(value => written(value, unit))
      return rowOf([cell('th', name, 'row'), ...texts.map(text => cell('td', text))])
    }),
  )
  table.replaceChildren(head, body)
}

/** Returns the last value, the mean, the least and the most; null for each without values. */
function summaryOf(values: NamedLine['values']): readonly (number | null)[] {
  const known = values.filter(value => value !== null)
  if (known.length === 0) return [null, null, null, null]
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length
  return [lastOf(values), mean, Math.min(...known), Math.max(...known)]
}

/** Returns the last value of a line; null for a line without values. */
export const lastOf = (values: NamedLine['values']): number | null => values.findLast(value => value !== null) ?? null

function rowOf(cells: readonly HTMLElement[]): HTMLTableRowElement {
  const row = document.createElement('tr')
  row.append(...cells)
  return row
}

function cell(kind: 'td' | 'th', text: string, scope?: 'col' | 'row'): HTMLTableCellElement {
  const made = document.createElement(kind)
  made.textContent = text
  if (scope !== undefined) made.scope = scope
  return made
}
