import { relative, sep } from 'node:path'
import { printable } from '../write/quoted.ts'
import { printError } from './explain.ts'
import { runOnce, type RunContext } from './once.ts'
import { plural } from './print.ts'
import { digestsOnDisk, nextChange } from './watch.ts'

/** Generates again whenever an input file changes, until `signal` aborts. */
export async function watchDocuments(run: RunContext, signal: AbortSignal): Promise<void> {
  const { invocation, terminal } = run
  let known: readonly string[] = invocation.documents.map(({ file }) => relative('', file).split(sep).join('/'))
  while (!signal.aborted) {
    // The digests are taken before the pass, so that a change during the pass is found after it.
    const before = digestsOnDisk(known)
    let inputs: Readonly<Record<string, string>> = {}
    try {
      inputs = (await runOnce(run)).inputs
    } catch (error) {
      printError(error, invocation, terminal)
    }
    const digests = new Map([...Object.entries(inputs), ...before])
    known = [...digests.keys()]
    terminal.out(`watching ${plural(known.length, 'file')} for changes`)
    const changed = await nextChange(digests, signal)
    if (changed.length > 0) terminal.out(printable(`${changed.join(', ')} changed`))
  }
}
