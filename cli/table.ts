import { isRecord } from '../runtime/validation.ts'
import { printable } from './printable.ts'

/** The maximal length of a cell in characters; longer texts are cut. */
const maxCell = 64
const gap = '  '

/** The names of the members that identify a row. These members become the first columns, in this order. */
const first = ['id', 'name', 'display_name', 'email', 'status', 'state']

/**
 * Formats rows as the lines of a table. The columns are chosen once, from the first page, so that later pages align
 * with the first page.
 */
export class Table {
  readonly #columns: readonly string[]
  readonly #widths: readonly number[]

  /**
   * Chooses the columns: members of `rows` that are neither objects nor lists of objects, as many as fit into `width`
   * characters, but at least one column.
   */
  constructor(rows: readonly unknown[], width: number) {
    const columns = columnsOf(rows).map(name => ({ name, width: widthOf(name, rows) }))
    let left = width
    const fitting = columns.filter((column, index) => {
      left -= column.width + gap.length
      return index === 0 || left + gap.length >= 0
    })
    this.#columns = fitting.map(({ name }) => name)
    this.#widths = fitting.map(column => column.width)
  }

  /** Returns the line of column names. */
  head(): string {
    return this.#line(this.#columns.map(name => printable(name).toUpperCase()))
  }

  /** Returns the line of one row. */
  line(row: unknown): string {
    return this.#line(this.#columns.map(name => cell(memberOf(row, name))))
  }

  #line(cells: readonly string[]): string {
    return cells
      .map((text, index) => text.padEnd(this.#widths[index] ?? 0))
      .join(gap)
      .trimEnd()
  }
}

/** Returns a line for each member of an object; for any other value, a single line with the value. */
export function sheet(value: unknown): readonly string[] {
  if (!isRecord(value)) return [printable(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))]
  const names = Object.keys(value)
  const width = Math.max(0, ...names.map(name => printable(name).length))
  return names.map(name => `${printable(name).padEnd(width)}${gap}${shown(value[name])}`)
}

function columnsOf(rows: readonly unknown[]): readonly string[] {
  // Rows of which none is an object make a single column.
  if (!rows.some(isRecord)) return ['value']
  const names = new Set<string>()
  for (const row of rows) {
    if (!isRecord(row)) continue
    for (const [name, value] of Object.entries(row)) if (!isRecord(value) && !isListOfObjects(value)) names.add(name)
  }
  const leading = first.filter(name => names.has(name))
  return [...leading, ...[...names].filter(name => !leading.includes(name))]
}

const isListOfObjects = (value: unknown): boolean => Array.isArray(value) && value.some(isRecord)

const memberOf = (row: unknown, name: string): unknown => {
  if (!isRecord(row)) return row
  return Object.hasOwn(row, name) ? row[name] : undefined
}

const widthOf = (name: string, rows: readonly unknown[]): number =>
  Math.max(printable(name).length, ...rows.map(row => cell(memberOf(row, name)).length))

function cell(value: unknown): string {
  const text = shown(value)
  return text.length > maxCell ? `${text.slice(0, maxCell - 3)}...` : text
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value) && !value.some(item => typeof item === 'object')) return printable(value.join(','))
  return printable(typeof value === 'string' ? value : JSON.stringify(value))
}
