import { relative, sep } from 'node:path'
import { printable } from '../write/quoted.ts'
import { printError } from './explain.ts'
import { runOnce, type RunContext } from './run-once.ts'
import { plural } from './print.ts'
import { templateFiles } from './templates.ts'
import { digestsOnDisk, nextChange } from './watch.ts'

/**
 * Generates the documents, and generates them again whenever an input file changes, until `signal` aborts. Prints the
 * error of a failed run and goes on. Rejects if a folder cannot be watched.
 */
export async function watchDocuments(run: RunContext, signal: AbortSignal): Promise<void> {
  const { invocation, terminal } = run
  const templates = new Set(invocation.templates === undefined ? [] : templateFiles(invocation.templates))
  const documents = invocation.documents.map(({ file }) => relative('', file).split(sep).join('/'))
  let known: readonly string[] = [...documents, ...templates]
  while (!signal.aborted) {
    // The digests are computed before the pass, so that `nextChange` finds a change that happens during the pass.
    const before = digestsOnDisk(known)
    let inputs: Readonly<Record<string, string>> = {}
    try {
      inputs = (await runOnce(run)).inputs()
    } catch (error) {
      printError(error, invocation, terminal)
    }
    const digests = new Map([...Object.entries(inputs), ...before])
    known = [...digests.keys()]
    // A template that does not exist yet stays in `known`, because an edit may create its file.
    const watched = known.filter(file => !templates.has(file) || digests.get(file) !== undefined)
    terminal.out(`watching ${plural(watched.length, 'file')} for changes`)
    const changed = await nextChange(digests, signal)
    if (changed.length > 0) terminal.out(printable(`${changed.join(', ')} changed`))
  }
}
