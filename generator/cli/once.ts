import { isDeepStrictEqual } from 'node:util'
import type { GenerateOptions } from '../options.ts'
import type { Invocation } from './invocation.ts'
import type { MemoryFile } from './memory.ts'
import { printDiagnostics, printSize, printTimings } from './print.ts'
import { isSame, type Recalled, recalled } from './recalled.ts'
import type { Round } from './round.ts'
import { Stopwatch } from './stopwatch.ts'
import { readTemplates, templateDigests } from './templates.ts'
import type { Terminal } from './terminal.ts'

/** What is the same for all passes of a run. */
export interface Run {
  readonly invocation: Invocation
  readonly options: GenerateOptions
  readonly terminal: Terminal
  /** Where passes keep what they come to, if they do. */
  readonly memory: MemoryFile | undefined
}

/** One pass over the documents, which does only what the last one that is remembered has not done. */
export async function once({ invocation, memory: file, options, terminal }: Run): Promise<Round> {
  const stopwatch = new Stopwatch()
  const templates = invocation.templates === undefined ? undefined : readTemplates(invocation.templates)
  const known = file?.read()
  // Templates decide what all documents become.
  const memory = known && isDeepStrictEqual(known.templates, templateDigests(templates)) ? known : undefined
  const recall = memory && recalled(memory, invocation.out)
  if (recall && isSame(recall, invocation.out)) return repeat(recall, invocation, terminal, stopwatch)
  if (file) stopwatch.lap('memory')
  // Loaded here, so that a run that has nothing to do does not wait for the whole generator.
  const { round } = await import('./round.ts')
  stopwatch.lap('modules')
  return round({
    invocation,
    options: { ...options, ...(templates && { templates }) },
    terminal,
    stopwatch,
    memory: { file, recall },
  })
}

/** Says again what the last pass said: this one would come to the same. */
function repeat(
  { memory }: Recalled,
  { check, out, permissionBits, timings }: Invocation,
  terminal: Terminal,
  stopwatch: Stopwatch,
): Round {
  for (const line of printDiagnostics(memory.warnings)) terminal.err(line)
  stopwatch.lap('memory')
  const names = memory.outlines.map(({ name }) => name)
  if (timings) terminal.err(printTimings(stopwatch, names))
  const counts = `: 0 files written, ${Object.keys(memory.outputs).length} unchanged, 0 deleted`
  terminal.out(`${out}${check ? ' is up to date' : counts} (${printSize(memory.outlines)}, ${stopwatch.total} ms)`)
  const documents = Object.entries(memory.inputs).filter(([file]) => file !== permissionBits)
  return { status: 0, inputs: Object.fromEntries(documents) }
}
