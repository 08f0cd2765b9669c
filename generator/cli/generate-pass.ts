import type { Diagnostic } from '../diagnostics.ts'
import { type CachedDocuments, generate, type Generated } from '../generate.ts'
import type { GenerateOptions } from '../options.ts'
import { load } from '../read/load.ts'
import type { Loaded } from '../read/types.ts'
import { digest } from '../write/manifest.ts'
import type { Invocation } from './invocation.ts'
import { partsOf, type Reach, sharedDocuments } from './document-parts.ts'
import type { ComparedRun } from './compared-run.ts'
import type { Stopwatch } from './stopwatch.ts'
import type { Outline } from '../document-outline.ts'

/** The result of reading the documents and generating their output. */
export interface GenerateResult {
  readonly diagnostics: readonly Diagnostic[]
  /** The result of `generate`; undefined if reading the documents found errors. */
  readonly generated: Generated | undefined
  /** The names of the documents that were not loaded, because the run reuses their cached output. */
  readonly remembered: readonly string[]
  /** The files of all documents, loaded or not. */
  readonly reach: Reach
  /** Returns the SHA-256 of each readable input file, keyed by its path. */
  readonly inputs: () => Readonly<Record<string, string>>
}

/** The arguments of `attemptWhole` and `attemptPart`. */
export interface PassContext {
  readonly invocation: Invocation
  readonly options: GenerateOptions
  readonly stopwatch: Stopwatch
}

/** Reads all documents, and generates their output if reading found no errors. */
export async function attemptWhole({ invocation, options, stopwatch }: PassContext): Promise<GenerateResult> {
  const { allowRefs, documents } = invocation
  const { loaded, diagnostics: read } = await load(documents, { allowRefs })
  const validated = invocation.validate && !hasErrors(read) ? await validations(invocation) : []
  stopwatch.lap('read')
  const generated = hasErrors(read) ? undefined : await generate(loaded, options)
  stopwatch.lap('generate')
  const diagnostics = [...read, ...validated, ...(generated?.diagnostics.found ?? [])]
  return { diagnostics, generated, reach: reachOf(loaded), remembered: [], inputs: () => inputsOf(loaded) }
}

/**
 * Reads and generates only the shared documents and the documents whose input or output has changed. Returns undefined
 * if no document can be reused, or if the result could differ from a full run; the caller then runs `attemptWhole`.
 */
export async function attemptPart(context: PassContext, compared: ComparedRun): Promise<GenerateResult | undefined> {
  const plan = planOf(compared)
  if (!plan) return undefined
  const { invocation, options, stopwatch } = context
  const documents = invocation.documents.filter(({ name }) => !plan.remembered.has(name))
  const { loaded, diagnostics: read } = await load(documents, { allowRefs: invocation.allowRefs })
  stopwatch.lap('read')
  const reach = new Map([...plan.reach, ...reachOf(loaded)])
  // An error of this subset may be no error of the full run, because a document that was not loaded could resolve the
  // fault.
  if (hasErrors(read) || !areShared(plan, reach, loaded, compared)) return undefined
  const generated = await generate(loaded, options, plan.beside)
  stopwatch.lap('generate')
  if (!generated.model || partsOf(reach, generated.model, [])?.shared !== plan.shape) return undefined
  if (!areRaised(plan, generated, compared)) return undefined
  const files = new Set([...plan.remembered].flatMap(name => reach.get(name) ?? []))
  const warnings = compared.cached.warnings.filter(({ position }) => files.has(position.file))
  const inputs = Object.entries(compared.cached.inputs).filter(([file]) => files.has(file))
  return {
    diagnostics: [...read, ...generated.diagnostics.found, ...warnings],
    generated,
    remembered: [...plan.remembered],
    reach,
    inputs: () => ({ ...Object.fromEntries(inputs), ...inputsOf(loaded) }),
  }
}

/** The split of a run into documents to generate and documents whose cached results are reused. */
interface Plan {
  /** The files of each document, as the cached run read the files. */
  readonly reach: Reach
  /** The names of the documents that other documents refer to. A run always loads these documents. */
  readonly shared: readonly string[]
  readonly shape: string
  readonly remembered: ReadonlySet<string>
  readonly beside: CachedDocuments
}

function planOf({ changed, kept, cached }: ComparedRun): Plan | undefined {
  if (!cached.parts) return undefined
  const reach = new Map(cached.parts.reach)
  const shared = sharedDocuments(reach)
  const isUnchanged = (name: string): boolean => (reach.get(name) ?? []).every(file => !changed.has(file))
  if (!shared.every(isUnchanged)) return undefined
  const lost = Object.keys(cached.outputs).filter(path => !kept.has(path))
  const isWritten = (name: string): boolean => lost.every(path => folderOf(path) !== name)
  const outlines = cached.outlines.filter(({ name }) => !shared.includes(name) && isUnchanged(name) && isWritten(name))
  if (outlines.length === 0) return undefined
  const remembered = new Set(outlines.map(({ name }) => name))
  const files = new Map([...kept].filter(([path]) => remembered.has(folderOf(path))))
  const order = cached.outlines.map(({ name }) => name)
  return { reach, shared, shape: cached.parts.shared, remembered, beside: { outlines, files, order } }
}

/** Returns the name of the document to which an output file belongs; empty for a file in the output root. */
const folderOf = (path: string): string => path.slice(0, Math.max(0, path.indexOf('/')))

/** Whether the same documents as in the cached run are shared, with the same text. */
function areShared({ shared }: Plan, reach: Reach, loaded: Loaded, { cached }: ComparedRun): boolean {
  if (sharedDocuments(reach).join() !== shared.join()) return false
  const files = shared.flatMap(name => reach.get(name) ?? [])
  return files.every(file => digest(loaded.files.get(file)?.text ?? '') === cached.inputs[file])
}

/**
 * Whether every reason that the reused documents raise is still declared: either the shared documents declare all these
 * reasons, or all documents declare the same reasons as in the cached run.
 */
function areRaised({ beside, shared }: Plan, { outlines }: Generated, { cached }: ComparedRun): boolean {
  const common = outlines.filter(({ name }) => shared.includes(name)).flatMap(({ reasons }) => reasons)
  const known = new Set(common.map(([reason]) => reason))
  if (beside.outlines.every(({ raises }) => raises.every(reason => known.has(reason)))) return true
  const declared = (of: readonly Outline[]): string => JSON.stringify(of.map(({ reasons }) => reasons))
  return declared(outlines) === declared(cached.outlines)
}

const reachOf = ({ reach }: Loaded): Reach => new Map([...reach].map(([name, files]) => [name, [...files]]))

const inputsOf = ({ files }: Loaded): Readonly<Record<string, string>> =>
  Object.fromEntries([...files].map(([name, { text }]) => [name, digest(text)]))

async function validations(invocation: Invocation): Promise<Diagnostic[]> {
  const { validate } = await import('./validate.ts')
  return validate(invocation.documents.map(({ file }) => file))
}

/** Whether the diagnostics contain an error, which prevents output. */
export const hasErrors = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some(({ severity }) => severity === 'error')
