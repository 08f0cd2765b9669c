import type { Diagnostic } from '../diagnostics.ts'
import type { Document, Model } from '../model/types.ts'

const columns = ['document', 'operations', 'schemas', 'groups', 'lines', 'lines an operation', 'not honoured'] as const

/**
 * Formats a table of the documents with the sizes of their output, and the count of the diagnostics of each severity
 * and code.
 */
export function printReport(
  model: Model,
  files: ReadonlyMap<string, string>,
  diagnostics: readonly Diagnostic[],
): string[] {
  const rows = model.documents.map(document => rowOf(document, model, files, diagnostics))
  const total = ['total', ...columns.slice(1).map((_, index) => sum(rows, index + 1))]
  const operations = Number(total[1])
  total[5] = perOperation(Number(total[4]), operations)
  const table = [[...columns], ...rows, ...(rows.length > 1 ? [total] : [])]
  const widths = columns.map((_, index) => Math.max(...table.map(row => row[index]?.length ?? 0)))
  return [...table.map(row => layOut(row, widths)), ...countsOf(diagnostics)]
}

function rowOf(
  document: Document,
  model: Model,
  files: ReadonlyMap<string, string>,
  diagnostics: readonly Diagnostic[],
): string[] {
  const isFlat = files.has('types.ts')
  const own = [...files].filter(([path]) => isOwn(path, document, isFlat && model.documents.length === 1))
  const lines = own.reduce((total, [, text]) => total + text.split('\n').length - 1, 0)
  const { name, source, operations, schemas, groups } = document
  const unhonoured = diagnostics.filter(({ code, position }) => code === unhonouredCode && position.file === source)
  const numbers = [operations.length, schemas.length, groups.length, lines]
  return [name, ...numbers.map(String), perOperation(lines, operations.length), String(unhonoured.length)]
}

const unhonouredCode = 'not-honoured'

const isOwn = (path: string, { name }: Document, isFlat: boolean): boolean =>
  isFlat ? !path.includes('/') : path.startsWith(`${name}/`)

const perOperation = (lines: number, operations: number): string =>
  operations === 0 ? '-' : (lines / operations).toFixed(1)

const sum = (rows: readonly (readonly string[])[], column: number): string =>
  String(rows.reduce((total, row) => total + Number(row[column]), 0))

const layOut = (row: readonly string[], widths: readonly number[]): string =>
  row.map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0))).join('  ')

function countsOf(diagnostics: readonly Diagnostic[]): string[] {
  const counts = new Map<string, number>()
  for (const { severity, code } of diagnostics) {
    const key = `${severity} ${code}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, count]) => `${count} x ${key}`)
}
