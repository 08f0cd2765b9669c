import { isDeepStrictEqual } from 'node:util'
import type { GenerateOptions } from '../options.ts'
import type { Invocation } from './invocation.ts'
import type { RunCache } from './run-cache.ts'
import { printDiagnostics, printSize, printTimings } from './print.ts'
import { isSame, type ComparedRun, compareWithDisk } from './compared-run.ts'
import type { PassResult } from './run-pass.ts'
import { Stopwatch } from './stopwatch.ts'
import { readTemplates, templateDigests } from './templates.ts'
import type { Terminal } from './terminal.ts'

/** The context that all passes of a run share. */
export interface RunContext {
  readonly invocation: Invocation
  readonly options: GenerateOptions
  readonly terminal: Terminal
  /** The cache of runs; undefined if this run uses no cache. */
  readonly cache: RunCache | undefined
}

/** Generates the documents once. Reuses the parts of the cached run whose files are unchanged. */
export async function runOnce({ invocation, cache, options, terminal }: RunContext): Promise<PassResult> {
  const stopwatch = new Stopwatch()
  const templates = invocation.templates === undefined ? undefined : readTemplates(invocation.templates)
  const known = cache?.read()
  // A changed template can change the output of every document.
  const cached = known && isDeepStrictEqual(known.templates, templateDigests(templates)) ? known : undefined
  const compared = cached && compareWithDisk(cached, invocation.out)
  if (compared && isSame(compared, invocation.out)) return printCached(compared, invocation, terminal, stopwatch)
  if (cache) stopwatch.lap('memory')
  // The dynamic import keeps a fully cached run from loading the whole generator.
  const { runPass } = await import('./run-pass.ts')
  stopwatch.lap('modules')
  return runPass({
    invocation,
    options: { ...options, ...(templates && { templates }) },
    terminal,
    stopwatch,
    cache: { file: cache, compared },
  })
}

/**
 * Prints the result of the cached run, because a new pass would have the same result. Returns status 0 and the hashes
 * of the cached input files, without the file of permission bits.
 */
function printCached(
  { cached }: ComparedRun,
  { check, out, permissionBits, timings }: Invocation,
  terminal: Terminal,
  stopwatch: Stopwatch,
): PassResult {
  for (const line of printDiagnostics(cached.warnings)) terminal.err(line)
  stopwatch.lap('memory')
  const names = cached.outlines.map(({ name }) => name)
  if (timings) terminal.err(printTimings(stopwatch, names))
  const counts = `: 0 files written, ${Object.keys(cached.outputs).length} unchanged, 0 deleted`
  terminal.out(`${out}${check ? ' is up to date' : counts} (${printSize(cached.outlines)}, ${stopwatch.total} ms)`)
  const documents = Object.entries(cached.inputs).filter(([file]) => file !== permissionBits)
  return { status: 0, inputs: () => Object.fromEntries(documents) }
}
