import type { FileReport } from './report.ts'

const slowestCount = 10

const inSeconds = (ms: number): string => (ms / 1000).toFixed(1)
const lasted = ({ began, ended }: FileReport): number => ended - began

/**
 * Returns the lines of two tables: a row for each project, and a row for each of the ten slowest files. The column
 * `wall` is the time from the start of a project's first file to the end of its last file. The column `files` is the
 * sum over the files of a project, several of which run concurrently. Both columns are in seconds. Returns no lines if
 * no file has run.
 */
export function timesOf(files: readonly FileReport[]): readonly string[] {
  if (files.length === 0) return []
  const projects = [...Map.groupBy(files, ({ project }) => project)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const rows = projects.map(([name, of]) => [
    name,
    String(of.length),
    String(of.reduce((sum, { tests }) => sum + tests.length, 0)),
    inSeconds(Math.max(...of.map(({ ended }) => ended)) - Math.min(...of.map(({ began }) => began))),
    inSeconds(of.reduce((sum, file) => sum + lasted(file), 0)),
  ])
  const slowest = files.toSorted((a, b) => lasted(b) - lasted(a)).slice(0, slowestCount)
  return [
    ...aligned([['project', 'files', 'tests', 'wall s', 'files s'], ...rows]),
    ...aligned([
      ['slowest files', 'project', 's'],
      ...slowest.map(file => [file.path, file.project, inSeconds(lasted(file))]),
    ]),
  ]
}

/**
 * Returns a line for each row. The cells of a column have the same width, the first column left-aligned and the others
 * right-aligned.
 */
function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widthOf = (column: number): number => Math.max(...rows.map(row => row[column]?.length ?? 0))
  const widths = (rows[0] ?? []).map((_, column) => widthOf(column))
  return rows.map(row =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  )
}
