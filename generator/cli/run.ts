import { isAbsolute, relative, resolve } from 'node:path'
import { complain } from './explain.ts'
import type { Invocation } from './invocation.ts'
import { recall } from './memory.ts'
import { generateOptions } from './options.ts'
import { Stopwatch } from './stopwatch.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** Runs `generate`; answers the exit status. With `watch` it ends when `signal` aborts. Throws nothing. */
export async function run(invocation: Invocation, terminal: Terminal, signal: AbortSignal): Promise<0 | 1> {
  try {
    refuseContradictions(invocation)
    const options = generateOptions(invocation)
    if (repeat(invocation, terminal)) return 0
    // Loaded here, so that a run that has nothing to do does not wait for the whole generator.
    if (!invocation.watch) return (await (await import('./round.ts')).round(invocation, options, terminal)).status
    const { watchRounds } = await import('./watch-rounds.ts')
    await watchRounds(invocation, options, terminal, signal)
    return 0
  } catch (error) {
    return complain(error, invocation, terminal)
  }
}

/** Says again what the last run said, where this one would; answers whether it would. */
function repeat(invocation: Invocation, terminal: Terminal): boolean {
  const stopwatch = new Stopwatch()
  const memory = recall(invocation)
  if (!memory) return false
  const { out, check } = invocation
  for (const line of memory.said) terminal.err(line)
  const counts = `: 0 files written, ${Object.keys(memory.outputs).length} unchanged, 0 deleted`
  terminal.out(`${out}${check ? ' is up to date' : counts} (${memory.size}, ${stopwatch.total} ms)`)
  return true
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
