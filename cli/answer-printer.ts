import { isRecord, own } from '../runtime/validation.ts'
import { printableJson } from './printable.ts'
import { sheet, Table } from './table.ts'

/** The forms in which answers are printed. */
export const outputForms = ['table', 'json'] as const
/** A form in which answers are printed. */
export type OutputForm = (typeof outputForms)[number]

/** The form, the width and the destination of printed answers. */
export interface Printing {
  readonly form: OutputForm
  /** The maximal length of a table line, in characters. */
  readonly width: number
  readonly print: (text: string) => void
}

/**
 * Returns the rows of a list's answer: the declared member or, if `member` is undefined, the only array of an answer
 * with `next_page_token`. Returns undefined if the answer has no such rows.
 */
export function rowsOf(answer: unknown, member: string | undefined): readonly unknown[] | undefined {
  if (!isRecord(answer)) return undefined
  if (member !== undefined) {
    const rows = own(answer, member)
    return Array.isArray(rows) ? rows : undefined
  }
  if (!Object.hasOwn(answer, 'next_page_token')) return undefined
  const [rows, ...others] = Object.values(answer).filter(Array.isArray)
  return others.length === 0 ? rows : undefined
}

/**
 * Prints an answer as JSON, as a table of its rows, or as a line for each of its members. Prints nothing for undefined,
 * and `no rows` in place of an empty table.
 */
export function printAnswer(answer: unknown, member: string | undefined, { form, print, width }: Printing): void {
  if (answer === undefined) return
  if (form === 'json') return print(printableJson(answer))
  const rows = rowsOf(answer, member)
  if (rows === undefined) return sheet(answer).forEach(print)
  if (rows.length === 0) return print('no rows')
  const table = new Table(rows, width)
  print(table.head())
  for (const row of rows) print(table.line(row))
}

/**
 * Prints at most `limit` rows as their pages arrive, as a table or as one JSON list. `isCut` is true if the list has
 * more rows.
 */
export async function printRows(
  pages: AsyncIterable<readonly unknown[]>,
  limit: number,
  printing: Printing,
): Promise<{ readonly isCut: boolean }> {
  const printer = printing.form === 'json' ? jsonRows(printing) : tableRows(printing)
  let left = limit
  for await (const rows of pages) {
    printer.page(rows.slice(0, left))
    if (rows.length > left) {
      printer.end()
      return { isCut: true }
    }
    left -= rows.length
  }
  printer.end()
  return { isCut: false }
}

function jsonRows({ print }: Printing) {
  let last: string | undefined
  const add = (row: unknown): void => {
    print(last === undefined ? '[' : `${last},`)
    last = printableJson(row).replaceAll(/^/gm, '  ')
  }
  return {
    page: (rows: readonly unknown[]) => rows.forEach(add),
    end: () => (last === undefined ? print('[]') : [last, ']'].forEach(print)),
  }
}

function tableRows({ print, width }: Printing) {
  let table: Table | undefined
  return {
    page(rows: readonly unknown[]) {
      if (rows.length === 0) return
      if (!table) print((table = new Table(rows, width)).head())
      for (const row of rows) print(table.line(row))
    },
    end: () => void (table ?? print('no rows')),
  }
}
