import { isAbsolute, relative, resolve } from 'node:path'
import { printError } from './explain.ts'
import type { Invocation } from './invocation.ts'
import { RunCache } from './run-cache.ts'
import { generateOptions } from './options.ts'
import { runOnce } from './run-once.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** Runs `generate` and returns the exit status. With `watch`, the run ends when `signal` aborts. Never rejects. */
export async function run(invocation: Invocation, terminal: Terminal, signal: AbortSignal): Promise<0 | 1> {
  try {
    refuseContradictions(invocation)
    const options = generateOptions(invocation)
    const given = { invocation, options, terminal, cache: RunCache.of(invocation) }
    if (!invocation.watch) return (await runOnce(given)).status
    const { watchDocuments } = await import('./watch-documents.ts')
    await watchDocuments(given, signal)
    return 0
  } catch (error) {
    return printError(error, invocation, terminal)
  }
}

function refuseContradictions({ check, watch, scaffold, force, out }: Invocation): void {
  if (check && (watch || force || scaffold !== undefined)) {
    throw new UsageError('--check writes nothing: leave out --watch, --scaffold and --force')
  }
  if (out.trim() === '') throw new UsageError('--out is empty: name the folder of the generated files')
  if (scaffold === undefined) return
  const way = relative(resolve(out), resolve(scaffold))
  if (way === '' || !(way.startsWith('..') || isAbsolute(way))) {
    throw new UsageError('--scaffold is for handwritten code: choose a folder outside --out')
  }
}
