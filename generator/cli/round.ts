import type { Diagnostic } from '../diagnostics.ts'
import { permissionBits } from '../emit/permission-bits.ts'
import { generate, type Generated } from '../generate.ts'
import type { Model } from '../model/types.ts'
import type { GenerateOptions } from '../options.ts'
import { load } from '../read/load.ts'
import { check, isClean } from '../write/check.ts'
import { write } from '../write/write.ts'
import type { Invocation } from './invocation.ts'
import { digests, remember } from './memory.ts'
import { ownPackage } from './package-root.ts'
import { printBits, readBits, writeBits } from './permission-bits.ts'
import { plural, printCounts, printDiagnostics, printDrift, printVerdict, printWritten } from './print.ts'
import { printReport } from './report.ts'
import { Stopwatch } from './stopwatch.ts'
import type { Terminal } from './terminal.ts'

/** One pass over the documents: its exit status, and the text of every file that it read. */
export interface Round {
  readonly status: 0 | 1
  readonly texts: ReadonlyMap<string, string>
}

interface Pass {
  readonly invocation: Invocation
  readonly options: GenerateOptions
  readonly terminal: Terminal
  readonly stopwatch: Stopwatch
}

/** Reads, generates, and writes or checks, and says on the terminal what came of it. */
export async function round(invocation: Invocation, given: GenerateOptions, terminal: Terminal): Promise<Round> {
  const { permissionBits: bitsFile } = invocation
  const kept = bitsFile === undefined ? undefined : readBits(bitsFile)
  const options = { ...given, ...(kept && { permissionBits: kept }) }
  const pass = { invocation, options, terminal, stopwatch: new Stopwatch() }
  const { loaded, diagnostics: read } = await load(invocation.documents, { allowRefs: invocation.allowRefs })
  const validated = invocation.validate && !hasErrors(read) ? await validations(invocation) : []
  pass.stopwatch.lap('read')
  const generated = hasErrors(read) ? undefined : generate(loaded, options)
  pass.stopwatch.lap('generate')
  const diagnostics = [...read, ...validated, ...(generated?.diagnostics.found ?? [])]
  // Looking up where a note stands costs more than all the rest for a large document.
  const shown = invocation.report ? diagnostics : diagnostics.filter(({ severity }) => severity !== 'note')
  const said = printDiagnostics(shown)
  for (const line of said) terminal.err(line)
  pass.stopwatch.lap('report')
  const concluded = await conclude(pass, generated, diagnostics)
  const bits = concluded === 0 ? keepBits(pass, kept, generated?.model) : 'kept'
  const status = bits === 'lacking' ? 1 : concluded
  if (invocation.timings) terminal.err(String(pass.stopwatch))
  const texts = new Map([...loaded.files].map(([name, file]) => [name, file.text]))
  if (status === 0 && generated?.model) {
    const { files, model } = generated
    if (bitsFile !== undefined && kept) texts.set(bitsFile, printBits(permissionBits(model, kept)))
    remember(invocation, { inputs: digests(texts), outputs: digests(files), said, size: sizeOf(model) })
  }
  return { status, texts }
}

/** Writes the bits that are new behind those there were; a check that finds the file without them says so. */
function keepBits(pass: Pass, kept: readonly string[] | undefined, model: Model | undefined): 'kept' | 'lacking' {
  const { invocation, terminal } = pass
  const { check: isCheck, permissionBits: file } = invocation
  const bits = model && kept && permissionBits(model, kept)
  if (file === undefined || !bits || bits.length === kept.length) return 'kept'
  if (isCheck) {
    terminal.out(`${file} lacks ${plural(bits.length - kept.length, 'permission key')}: generate, and commit it`)
    return 'lacking'
  }
  writeBits(file, bits)
  return 'kept'
}

async function validations(invocation: Invocation): Promise<Diagnostic[]> {
  const { validate } = await import('./validate.ts')
  return validate(invocation.documents.map(({ file }) => file))
}

async function conclude(
  pass: Pass,
  generated: Generated | undefined,
  diagnostics: readonly Diagnostic[],
): Promise<0 | 1> {
  const { invocation, terminal } = pass
  const model = generated?.model
  if (!generated || !model || fails(diagnostics, invocation.strict)) {
    terminal.err(`${printCounts(diagnostics)}: nothing was ${invocation.check ? 'checked' : 'written'}`)
    return 1
  }
  if (invocation.report) for (const line of printReport(model, generated.files, diagnostics)) terminal.out(line)
  return invocation.check ? checkOutput(pass, model, generated.files) : writeOutput(pass, model, generated.files)
}

function checkOutput(pass: Pass, model: Model, files: ReadonlyMap<string, string>): 0 | 1 {
  const { invocation, terminal, stopwatch } = pass
  const { version } = ownPackage()
  const drift = check(invocation.out, files, version)
  stopwatch.lap('check')
  if (drift.otherVersion !== undefined) {
    terminal.err(`${invocation.out} was written by ninefold ${drift.otherVersion}, this is ${version}`)
  }
  for (const line of printDrift(invocation.out, drift)) terminal.out(line)
  terminal.out(`${printVerdict(invocation.out, drift)} (${sizeOf(model)}, ${stopwatch.total} ms)`)
  return isClean(drift) ? 0 : 1
}

async function writeOutput(pass: Pass, model: Model, files: ReadonlyMap<string, string>): Promise<0> {
  const { invocation, options, terminal, stopwatch } = pass
  const { out, scaffold, force } = invocation
  // Only a scaffold pays for loading ts-morph, and it must see the handlers of before.
  const scaffolding = scaffold === undefined ? undefined : await import('./scaffold-output.ts')
  if (scaffolding) stopwatch.lap('ts-morph')
  const previous = scaffolding?.previousHandlers(out, model, files)
  const result = write(out, files, { version: ownPackage().version, force })
  stopwatch.lap('write')
  const { notes, counts } = printWritten(out, result)
  for (const note of notes) terminal.err(note)
  if (scaffold !== undefined && previous) {
    scaffolding?.scaffoldOutput({ folder: scaffold, outputRoot: out, model, files, previous, options }, terminal)
    stopwatch.lap('scaffold')
  }
  terminal.out(`${out}: ${counts} (${sizeOf(model)}, ${stopwatch.total} ms)`)
  return 0
}

const hasErrors = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some(({ severity }) => severity === 'error')

const fails = (diagnostics: readonly Diagnostic[], isStrict: boolean): boolean =>
  hasErrors(diagnostics) || (isStrict && diagnostics.some(({ severity }) => severity === 'warning'))

function sizeOf({ documents }: Model): string {
  const operations = documents.reduce((total, document) => total + document.operations.length, 0)
  return `${plural(documents.length, 'document')}, ${plural(operations, 'operation')}`
}
