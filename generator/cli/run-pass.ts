import type { Diagnostic } from '../diagnostics.ts'
import { permissionBits } from '../emit/permission-bits.ts'
import type { Generated } from '../generate.ts'
import type { Model } from '../model/types.ts'
import type { GenerateOptions } from '../options.ts'
import { check, isClean } from '../write/check.ts'
import { digest } from '../write/manifest.ts'
import { write } from '../write/write.ts'
import { type GenerateResult, attemptPart, attemptWhole, hasErrors } from './generate-pass.ts'
import type { Invocation } from './invocation.ts'
import type { CachedRun, RunCache } from './run-cache.ts'
import { ownPackage } from '../own-package.ts'
import { partsOf } from './document-parts.ts'
import { printBits, readBits, writeBits } from './permission-bits.ts'
import {
  plural,
  printCounts,
  printDiagnostics,
  printDrift,
  printSize,
  printTimings,
  printVerdict,
  printWritten,
} from './print.ts'
import { placeOf, type ComparedRun } from './compared-run.ts'
import { printReport } from './report.ts'
import type { Stopwatch } from './stopwatch.ts'
import { templateDigests } from './templates.ts'
import type { Terminal } from './terminal.ts'

/**
 * The result of one pass over the documents: the exit status, and a function that returns the SHA-256 of every readable
 * input file, keyed by path. Only a cache and a watch need the hashes.
 */
export interface PassResult {
  readonly status: 0 | 1
  readonly inputs: () => Readonly<Record<string, string>>
}

/** The arguments of `runPass`. */
export interface Pass {
  readonly invocation: Invocation
  readonly options: GenerateOptions
  readonly terminal: Terminal
  readonly stopwatch: Stopwatch
  /** The cache file, and the cached run compared with the disk. */
  readonly cache: { readonly file: RunCache | undefined; readonly compared: ComparedRun | undefined }
}

/** Reads and generates the documents, writes or checks the output, and prints the results on the terminal. */
export async function runPass(given: Pass): Promise<PassResult> {
  const { invocation, cache, stopwatch, terminal } = given
  const { permissionBits: bitsFile } = invocation
  const kept = bitsFile === undefined ? undefined : readBits(bitsFile)
  const pass = { ...given, options: { ...given.options, ...(kept && { permissionBits: kept }) } }
  const part = cache.compared && (await attemptPart(pass, cache.compared))
  const attempt = part ?? (await attemptWhole(pass))
  const { diagnostics, generated, inputs } = attempt
  // In a large document, finding the positions of all notes takes longer than the rest of the run.
  const shown = invocation.report ? diagnostics : diagnostics.filter(({ severity }) => severity !== 'note')
  for (const line of printDiagnostics(shown)) terminal.err(line)
  stopwatch.lap('report')
  const concluded = await conclude(pass, generated, diagnostics)
  const bits = concluded === 0 && kept ? permissionBits(generated?.outlines ?? [], kept) : undefined
  const status = bits && kept && lacksBits(pass, kept, bits) ? 1 : concluded
  const isRight = status === 0 && cache.file
  const result = isRight && cachedRunOf(pass, attempt, shown, bitsFile && bits ? { [bitsFile]: printBits(bits) } : {})
  if (isRight && result) cache.file.write(result)
  stopwatch.lap('remember')
  if (invocation.timings) terminal.err(printTimings(stopwatch, cache.file && attempt.remembered))
  return { status, inputs }
}

/**
 * Returns the result of a successful pass for the cache; undefined if nothing was generated. `bits` maps the file of
 * permission bits to its text.
 */
function cachedRunOf(
  { options }: Pass,
  { generated, inputs, reach }: GenerateResult,
  found: readonly Diagnostic[],
  bits: Readonly<Record<string, string>>,
): CachedRun | undefined {
  if (!generated?.model) return undefined
  const { files, model, outlines } = generated
  const warnings = found.map(({ position: { file, line, column }, ...rest }) => ({
    ...rest,
    position: { file, line, column },
  }))
  const parts = partsOf(reach, model, warnings)
  const read = { ...inputs(), ...digests(bits) }
  return {
    inputs: read,
    places: Object.fromEntries(Object.keys(read).map(file => [file, placeOf(file)])),
    templates: templateDigests(options.templates),
    outputs: digests(Object.fromEntries(files)),
    warnings,
    outlines,
    ...(parts && { parts }),
  }
}

const digests = (texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, digest(text)]))

/**
 * Writes the file of permission bits if there are new bits. With `--check`, prints the number of missing bits instead.
 * Returns true only if bits are missing with `--check`.
 */
function lacksBits({ invocation, terminal }: Pass, kept: readonly string[], bits: readonly string[]): boolean {
  const { check: isCheck, permissionBits: file } = invocation
  if (file === undefined || bits.length === kept.length) return false
  if (isCheck) {
    terminal.out(`${file} lacks ${plural(bits.length - kept.length, 'permission key')}: generate, and commit it`)
    return true
  }
  writeBits(file, bits)
  return false
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
  return invocation.check ? checkOutput(pass, generated) : writeOutput(pass, generated, model)
}

function checkOutput(pass: Pass, { files, outlines }: Generated): 0 | 1 {
  const { invocation, terminal, stopwatch } = pass
  const { version } = ownPackage()
  const drift = check(invocation.out, files, version)
  stopwatch.lap('check')
  if (drift.otherVersion !== undefined) {
    terminal.err(`${invocation.out} was written by ninefold ${drift.otherVersion}, this is ${version}`)
  }
  for (const line of printDrift(invocation.out, drift)) terminal.out(line)
  terminal.out(`${printVerdict(invocation.out, drift)} (${printSize(outlines)}, ${stopwatch.total} ms)`)
  return isClean(drift) ? 0 : 1
}

async function writeOutput(pass: Pass, { files, outlines }: Generated, model: Model): Promise<0> {
  const { invocation, options, terminal, stopwatch } = pass
  const { out, scaffold, force } = invocation
  // Only a scaffold needs ts-morph. The scaffold must read the earlier handlers before `write` overwrites them.
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
  terminal.out(`${out}: ${counts} (${printSize(outlines)}, ${stopwatch.total} ms)`)
  return 0
}

const fails = (diagnostics: readonly Diagnostic[], isStrict: boolean): boolean =>
  hasErrors(diagnostics) || (isStrict && diagnostics.some(({ severity }) => severity === 'warning'))
