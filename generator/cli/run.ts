import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { GenerateOptions } from '../options.ts'
import { printable } from '../write/quoted.ts'
import { explain } from './explain.ts'
import type { Invocation } from './invocation.ts'
import { generateOptions } from './options.ts'
import { plural } from './print.ts'
import { round } from './round.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'
import { nextChange, textsOnDisk } from './watch.ts'

/** Runs `generate`; answers the exit status. With `watch` it ends when `signal` aborts. Throws nothing. */
export async function run(invocation: Invocation, terminal: Terminal, signal: AbortSignal): Promise<0 | 1> {
  try {
    refuseContradictions(invocation)
    const options = generateOptions(invocation)
    if (!invocation.watch) return (await round(invocation, options, terminal)).status
    await watchRounds(invocation, options, terminal, signal)
    return 0
  } catch (error) {
    return complain(error, invocation, terminal)
  }
}

async function watchRounds(
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
      read = (await round(invocation, options, terminal)).texts
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

function complain(error: unknown, { timings }: Invocation, terminal: Terminal): 1 {
  for (const line of explain(error, timings || Boolean(process.env.DEBUG))) terminal.err(line)
  return 1
}

function refuseContradictions({ check, watch, scaffold, force, out }: Invocation): void {
  if (check && (watch || force || scaffold !== undefined)) {
    throw new UsageError('--check writes nothing: it goes without --watch, --scaffold and --force')
  }
  if (out.trim() === '') throw new UsageError('--out is empty: name the folder of the generated files')
  if (scaffold === undefined) return
  const way = relative(resolve(out), resolve(scaffold))
  if (way === '' || !(way.startsWith('..') || isAbsolute(way))) {
    throw new UsageError('--scaffold is for handwritten code: choose a folder outside --out')
  }
}
