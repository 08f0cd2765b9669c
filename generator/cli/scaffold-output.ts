import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Model } from '../model/types.ts'
import { handlersPath } from '../scaffold/interfaces.ts'
import { scaffold, type ScaffoldInput } from '../scaffold/scaffold.ts'
import { shownPath } from '../scaffold/handwritten.ts'
import { printable } from '../write/quoted.ts'
import { replaceFile } from '../write/replace-file.ts'
import { plural, printDiagnostics } from './print.ts'
import type { Terminal } from './terminal.ts'

/**
 * Reads the handlers files on the disk before a run overwrites them. Returns their texts, keyed by path relative to the
 * output root.
 */
export function previousHandlers(
  out: string,
  model: Model,
  files: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const paths = model.documents.map(document => handlersPath(document, files))
  return new Map(
    paths.filter(path => existsSync(join(out, path))).map(path => [path, readFileSync(join(out, path), 'utf8')]),
  )
}

/** Writes the stubs of the scaffold to the handwritten code, and prints the diagnostics and the names of the stubs. */
export function scaffoldOutput(input: ScaffoldInput, terminal: Terminal): void {
  const { files, added, diagnostics } = scaffold(input)
  for (const [path, text] of files) replaceFile(path, text)
  for (const line of printDiagnostics(diagnostics)) terminal.err(line)
  for (const name of added) terminal.out(printable(`added ${name}`))
  const where = [...files.keys()].map(shownPath).join(', ')
  if (added.length > 0) terminal.out(printable(`${plural(added.length, 'stub')} added to ${where}`))
}
