import { isAbsolute, relative, resolve } from 'node:path'
import { complain } from './explain.ts'
import type { Invocation } from './invocation.ts'
import { MemoryFile } from './memory.ts'
import { generateOptions } from './options.ts'
import { once } from './once.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** Runs `generate`; answers the exit status. With `watch` it ends when `signal` aborts. Throws nothing. */
export async function run(invocation: Invocation, terminal: Terminal, signal: AbortSignal): Promise<0 | 1> {
  try {
    refuseContradictions(invocation)
    const options = generateOptions(invocation)
    const given = { invocation, options, terminal, memory: MemoryFile.of(invocation) }
    if (!invocation.watch) return (await once(given)).status
    const { watchRounds } = await import('./watch-rounds.ts')
    await watchRounds(given, signal)
    return 0
  } catch (error) {
    return complain(error, invocation, terminal)
  }
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
