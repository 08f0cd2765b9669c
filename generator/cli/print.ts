import { type Diagnostic, DiagnosticList, printed, type Severity } from '../diagnostics.ts'
import { type Drift, isClean } from '../write/check.ts'
import { printable } from '../write/quoted.ts'
import type { WriteResult } from '../write/write.ts'
import type { Stopwatch } from './stopwatch.ts'
import type { Outline } from '../document-outline.ts'

const shownFiles = 20
const shownLines = 20
const shownColumns = 160

/** Formats the distinct diagnostics as `file:line:column severity code: message`, sorted by place. */
export function printDiagnostics(diagnostics: readonly Diagnostic[]): string[] {
  const list = new DiagnosticList()
  for (const diagnostic of diagnostics) list.add(diagnostic, diagnostic.position)
  return list.sorted().map(diagnostic => printable(printed(diagnostic)))
}

/** Counts errors and warnings: `1 error, 2 warnings`. */
export function printCounts(diagnostics: readonly Diagnostic[]): string {
  const count = (wanted: Severity): number => diagnostics.filter(({ severity }) => severity === wanted).length
  return `${plural(count('error'), 'error')}, ${plural(count('warning'), 'warning')}`
}

/** Formats notes about overwritten and kept files, and the counts of all files. `out` is the output root as given. */
export function printWritten(out: string, result: WriteResult): { readonly notes: string[]; readonly counts: string } {
  const { written, unchanged, deleted, overwritten, kept } = result
  const notes = [
    ...overwritten.map(path => `${out}/${path} was edited by hand: the edit is overwritten`),
    ...kept.map(path => `${out}/${path} is no longer generated but was edited by hand: delete it, or use --force`),
  ]
  return {
    notes: notes.map(printable),
    counts: `${plural(written.length, 'file')} written, ${unchanged.length} unchanged, ${deleted.length} deleted`,
  }
}

/**
 * Formats the differences that `--check` found: missing files, changed files, then orphans. Only the first 20 changed
 * files have a diff, each of at most 20 lines. Returns no lines without differences.
 */
export function printDrift(out: string, drift: Drift): string[] {
  if (isClean(drift)) return []
  const shown = drift.changed.slice(0, shownFiles)
  const rest = drift.changed.slice(shownFiles)
  const lines = [
    ...drift.missing.map(path => `missing  ${out}/${path}`),
    ...shown.flatMap(({ path, diff }) => [`changed  ${out}/${path}`, ...shortDiff(diff)]),
    ...rest.map(({ path }) => `changed  ${out}/${path}`),
    ...drift.orphans.map(path => `orphan   ${out}/${path}`),
  ]
  return lines.map(printable)
}

/** Formats a line that says whether an output matches its documents. */
export function printVerdict(out: string, drift: Drift): string {
  if (isClean(drift)) return `${out} is up to date`
  const { missing, changed, orphans } = drift
  const counts = `${missing.length} missing, ${changed.length} changed, ${plural(orphans.length, 'orphan')}`
  return `${out} is not what the documents say: ${counts}; run generate`
}

/**
 * Formats the times of the stages; adds a line with the names of the reused documents unless `remembered` is undefined.
 */
export function printTimings(stopwatch: Stopwatch, remembered: readonly string[] | undefined): string {
  const names = remembered && `\nremembered: ${remembered.length > 0 ? remembered.join(', ') : 'no document'}`
  return `${stopwatch}${names ?? ''}`
}

/** Formats the size of a run: `9 documents, 357 operations`. */
export function printSize(outlines: readonly Outline[]): string {
  const operations = outlines.reduce((total, outline) => total + outline.operations, 0)
  return `${plural(outlines.length, 'document')}, ${plural(operations, 'operation')}`
}

function shortDiff(diff: readonly string[]): string[] {
  const lines = diff.slice(0, shownLines).map(line => `    ${cut(line)}`)
  const more = diff.length - lines.length
  return more > 0 ? [...lines, `    … ${plural(more, 'more line', 'more lines')}`] : lines
}

const cut = (line: string): string => (line.length > shownColumns ? `${line.slice(0, shownColumns)}…` : line)

/** Formats a count with its noun: `1 file`, `2 files`. */
export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`
