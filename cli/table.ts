import { isRecord } from '../runtime/validation.ts'
import { printable } from './printable.ts'

/** Characters of a cell at most; what is longer is cut. */
const maxCell = 64
const gap = '  '

/** What tells rows apart stands first, whatever the order of their members. */
const first = ['id', 'name', 'display_name', 'email', 'status', 'state']

/** A table of rows, whose columns are chosen once, so that the pages of a list stand below one another. */
export class Table {
  readonly #columns: readonly string[]
  readonly #widths: readonly number[]

  /** The columns are members of these rows that are no objects, as many as fit `width` characters. */
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

  head(): string {
    return this.#line(this.#columns.map(name => printable(name).toUpperCase()))
  }

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

/** The members of one value, a line each. */
export function sheet(value: unknown): readonly string[] {
  if (!isRecord(value)) return [printable(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))]
  const names = Object.keys(value)
  const width = Math.max(0, ...names.map(name => printable(name).length))
  return names.map(name => `${printable(name).padEnd(width)}${gap}${shown(value[name])}`)
}

function columnsOf(rows: readonly unknown[]): readonly string[] {
  // Rows that are texts or numbers are their only column.
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
