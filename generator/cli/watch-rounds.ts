import { relative, sep } from 'node:path'
import type { GenerateOptions } from '../options.ts'
import { printable } from '../write/quoted.ts'
import { complain } from './explain.ts'
import type { Invocation } from './invocation.ts'
import { plural } from './print.ts'
import { round } from './round.ts'
import { Stopwatch } from './stopwatch.ts'
import type { Terminal } from './terminal.ts'
import { nextChange, textsOnDisk } from './watch.ts'

/** Generates again whenever a file that was read changes, until `signal` aborts. */
export async function watchRounds(
  invocation: Invocation,
  options: GenerateOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  let known: readonly string[] = invocation.documents.map(({ file }) => relative('', file).split(sep).join('/'))
  while (!signal.aborted) {
    // Taken before the round, so that a change while it runs is found after it.
    const before = textsOnDisk(known)
    let read: ReadonlyMap<string, string> = new Map()
    try {
      read = (await round({ invocation, options, terminal, stopwatch: new Stopwatch() })).texts
    } catch (error) {
      complain(error, invocation, terminal)
    }
    const texts = new Map([...read, ...before])
    known = [...texts.keys()]
    terminal.out(`watching ${plural(known.length, 'file')} for changes`)
    const changed = await nextChange(texts, signal)
    if (changed.length > 0) terminal.out(printable(`${changed.join(', ')} changed`))
  }
}
