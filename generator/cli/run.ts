import { isAbsolute, relative, resolve } from 'node:path'
import { complain } from './explain.ts'
import type { Invocation } from './invocation.ts'
import { MemoryFile } from './memory.ts'
import { generateOptions } from './options.ts'
import { printDiagnostics, printSize, printTimings } from './print.ts'
import { isSame, type Recalled, recalled } from './recalled.ts'
import { Stopwatch } from './stopwatch.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** Runs `generate`; answers the exit status. With `watch` it ends when `signal` aborts. Throws nothing. */
export async function run(invocation: Invocation, terminal: Terminal, signal: AbortSignal): Promise<0 | 1> {
  try {
    refuseContradictions(invocation)
    const options = generateOptions(invocation)
    const stopwatch = new Stopwatch()
    const file = MemoryFile.of(invocation)
    const memory = file?.read()
    const recall = memory && recalled(memory, invocation.out)
    if (recall && isSame(recall, invocation.out)) return repeat(recall, invocation, terminal, stopwatch)
    if (file) stopwatch.lap('memory')
    // Loaded here, so that a run that has nothing to do does not wait for the whole generator.
    if (!invocation.watch) {
      const { round } = await import('./round.ts')
      stopwatch.lap('modules')
      return (await round({ invocation, options, terminal, stopwatch, memory: { file, recall } })).status
    }
    const { watchRounds } = await import('./watch-rounds.ts')
    await watchRounds(invocation, options, terminal, signal)
    return 0
  } catch (error) {
    return complain(error, invocation, terminal)
  }
}

/** Says again what the last run said: this one would come to the same. */
function repeat(
  { memory }: Recalled,
  { check, out, timings }: Invocation,
  terminal: Terminal,
  stopwatch: Stopwatch,
): 0 {
  for (const line of printDiagnostics(memory.warnings)) terminal.err(line)
  stopwatch.lap('memory')
  const names = memory.outlines.map(({ name }) => name)
  if (timings) terminal.err(printTimings(stopwatch, names))
  const counts = `: 0 files written, ${Object.keys(memory.outputs).length} unchanged, 0 deleted`
  terminal.out(`${out}${check ? ' is up to date' : counts} (${printSize(memory.outlines)}, ${stopwatch.total} ms)`)
  return 0
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
