import { relative, sep } from 'node:path'
import { printable } from '../write/quoted.ts'
import { complain } from './explain.ts'
import { once, type Run } from './once.ts'
import { plural } from './print.ts'
import { templateFiles } from './templates.ts'
import { digestsOnDisk, nextChange } from './watch.ts'

/** Generates again whenever a file that documents are made of changes, until `signal` aborts. */
export async function watchRounds(run: Run, signal: AbortSignal): Promise<void> {
  const { invocation, terminal } = run
  const templates = new Set(invocation.templates === undefined ? [] : templateFiles(invocation.templates))
  const documents = invocation.documents.map(({ file }) => relative('', file).split(sep).join('/'))
  let known: readonly string[] = [...documents, ...templates]
  while (!signal.aborted) {
    // Taken before the round, so that a change while it runs is found after it.
    const before = digestsOnDisk(known)
    let inputs: Readonly<Record<string, string>> = {}
    try {
      inputs = (await once(run)).inputs
    } catch (error) {
      complain(error, invocation, terminal)
    }
    const digests = new Map([...Object.entries(inputs), ...before])
    known = [...digests.keys()]
    // A template may come that is not there yet.
    const watched = known.filter(file => !templates.has(file) || digests.get(file) !== undefined)
    terminal.out(`watching ${plural(watched.length, 'file')} for changes`)
    const changed = await nextChange(digests, signal)
    if (changed.length > 0) terminal.out(printable(`${changed.join(', ')} changed`))
  }
}
