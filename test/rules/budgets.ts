import { ts } from 'ts-morph'
import type { Finding, Source } from './source.ts'
import { lineOf, walk, type Syntax } from './syntax.ts'

/**
 * The maximal numbers of lines of code and of files in the runtime (docs/decisions/0005). Comments do not count, so
 * that documentation costs nothing.
 */
const runtimeBudget = { lines: 4540, files: 45 }
const templateLines = 60
/** The maximal lines of code for each operation: in the output of one area, and on average over all areas. */
const outputLinesPerOperation = { area: 113, average: 93 }

/** Finds a runtime of more than 4,540 lines of code, or of more than 45 files. */
export function largeRuntime(files: readonly Source[]): Finding[] {
  const lines = files.reduce((sum, { text }) => sum + countCode(text), 0)
  const found: Finding[] = []
  const path = 'runtime/'
  if (lines > runtimeBudget.lines) found.push({ path, message: `has ${lines} lines of ${runtimeBudget.lines}` })
  if (files.length > runtimeBudget.files) {
    found.push({ path, message: `has ${files.length} files of ${runtimeBudget.files}` })
  }
  return found
}

/** Finds templates of more than 60 lines. */
export function largeTemplates(files: readonly Source[]): Finding[] {
  return files.flatMap(({ path, text }) => {
    const lines = countLines(text)
    return lines > templateLines ? [{ path, message: `has ${lines} lines of ${templateLines}` }] : []
  })
}

/**
 * Finds areas whose output exceeds 113 lines of code an operation, and an average of all areas above 92; output without
 * operations has no budget.
 */
export function largeOutput(files: readonly Source[]): Finding[] {
  const { area, average } = outputLinesPerOperation
  const folders = Map.groupBy(files, ({ path }) => path.split('/').slice(0, 2).join('/'))
  const sizes = [...folders].map(([path, sources]) => ({ path, ...sizeOf(sources) })).filter(has => has.operations > 0)
  const sum = (of: 'lines' | 'operations'): number => sizes.reduce((total, size) => total + size[of], 0)
  const whole = { path: 'output', lines: sum('lines'), operations: sum('operations') }
  return [...sizes.flatMap(size => overBudget(size, area)), ...overBudget(whole, average)]
}

interface Size {
  readonly path: string
  readonly lines: number
  readonly operations: number
}

function sizeOf(sources: readonly Source[]): Omit<Size, 'path'> {
  const lines = sources.reduce((sum, { text }) => sum + countCode(text), 0)
  const operations = sources.reduce((sum, { text }) => sum + [...text.matchAll(/^ +operationId: /gm)].length, 0)
  return { lines, operations }
}

function overBudget({ path, lines, operations }: Size, each: number): Finding[] {
  const budget = operations * each
  return lines > budget ? [{ path, message: `has ${lines} lines for ${operations} operations, ${budget} at most` }] : []
}

/** The maximal number of files in a folder that a reader can survey. */
const filesInFolder = 40

/** Finds folders with more than 41 files. Folders below `test/cases/` have no budget. */
export function fullFolders(paths: readonly string[]): Finding[] {
  const folders = Map.groupBy(paths, path => path.slice(0, path.lastIndexOf('/')))
  return [...folders]
    .filter(([folder, files]) => files.length > filesInFolder && !folder.startsWith('test/cases/'))
    .map(([path, { length }]) => ({ path, message: `has ${length} files, ${filesInFolder} at most` }))
}

/** A function and its length in lines. */
export interface Length {
  readonly path: string
  readonly line: number
  readonly name: string
  readonly lines: number
}

/**
 * Returns the functions of more than `limit` lines, longest first. The result is only a report, because some functions
 * are better long.
 */
export function longFunctions(files: readonly Syntax[], limit: number): Length[] {
  const found: Length[] = []
  for (const { path, tree } of files) {
    walk(tree, node => {
      if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) return
      const line = lineOf(tree, node)
      const lines = tree.getLineAndCharacterOfPosition(node.end).line + 2 - line
      if (lines > limit) found.push({ path, line, name: node.name?.getText(tree) ?? 'a function', lines })
    })
  }
  return found.sort((a, b) => b.lines - a.lines)
}

/** Counts the lines that are neither blank nor part of a comment or an import. */
export function countCode(text: string): number {
  const withoutImports = text.replaceAll(/^import (?:type )?\{[^}]*\} from .*$/gm, '')
  const rows = withoutImports.split('\n').map(row => row.trim())
  return rows.filter(row => row !== '' && !/^(?:\/\/|\/\*|\*)/.test(row)).length
}

/** Counts lines; a last line without its line end counts too. */
export function countLines(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}
