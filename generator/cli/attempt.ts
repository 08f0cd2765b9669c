import type { Diagnostic } from '../diagnostics.ts'
import { type Beside, generate, type Generated } from '../generate.ts'
import type { Outline } from '../model/types.ts'
import type { GenerateOptions } from '../options.ts'
import { load } from '../read/load.ts'
import type { Loaded } from '../read/types.ts'
import { digest } from '../write/manifest.ts'
import type { Invocation } from './invocation.ts'
import { partsOf, type Reach, sharedDocuments } from './parts.ts'
import type { Recalled } from './recalled.ts'
import type { Stopwatch } from './stopwatch.ts'

/** What reading and generating came to. */
export interface Attempt {
  readonly diagnostics: readonly Diagnostic[]
  /** Absent when the documents could not be read. */
  readonly generated: Generated | undefined
  /** The documents that were not loaded, as nothing of theirs has changed. */
  readonly remembered: readonly string[]
  /** Of all documents, whether they were loaded or not. */
  readonly reach: Reach
  /** SHA-256 of all files that they are made of, as far as those could be read. */
  readonly inputs: Readonly<Record<string, string>>
}

/** What an attempt is made with. */
export interface Setting {
  readonly invocation: Invocation
  readonly options: GenerateOptions
  readonly stopwatch: Stopwatch
}

/** Reads and generates all documents. */
export async function attemptWhole({ invocation, options, stopwatch }: Setting): Promise<Attempt> {
  const { allowRefs, documents } = invocation
  const { loaded, diagnostics: read } = await load(documents, { allowRefs })
  const validated = invocation.validate && !hasErrors(read) ? await validations(invocation) : []
  stopwatch.lap('read')
  const generated = hasErrors(read) ? undefined : await generate(loaded, options)
  stopwatch.lap('generate')
  const diagnostics = [...read, ...validated, ...(generated?.diagnostics.found ?? [])]
  return { diagnostics, generated, reach: reachOf(loaded), remembered: [], inputs: inputsOf(loaded) }
}

/**
 * The same, but reads and generates only the documents that have changed and those that others refer to. Undefined where
 * that could come to something else than the whole: then nothing is lost but time.
 */
export async function attemptPart(setting: Setting, recall: Recalled): Promise<Attempt | undefined> {
  const plan = planOf(recall)
  if (!plan) return undefined
  const { invocation, options, stopwatch } = setting
  const documents = invocation.documents.filter(({ name }) => !plan.remembered.has(name))
  const { loaded, diagnostics: read } = await load(documents, { allowRefs: invocation.allowRefs })
  stopwatch.lap('read')
  const reach = new Map([...plan.reach, ...reachOf(loaded)])
  // Whether an error is one may be for a document to say that was not loaded.
  if (hasErrors(read) || !areShared(plan, reach, loaded, recall)) return undefined
  const generated = await generate(loaded, options, plan.beside)
  stopwatch.lap('generate')
  if (!generated.model || partsOf(reach, generated.model, [])?.shared !== plan.shape) return undefined
  if (!areRaised(plan, generated, recall)) return undefined
  const files = new Set([...plan.remembered].flatMap(name => reach.get(name) ?? []))
  const warnings = recall.memory.warnings.filter(({ position }) => files.has(position.file))
  const inputs = Object.entries(recall.memory.inputs).filter(([file]) => files.has(file))
  return {
    diagnostics: [...read, ...generated.diagnostics.found, ...warnings],
    generated,
    remembered: [...plan.remembered],
    reach,
    inputs: { ...Object.fromEntries(inputs), ...inputsOf(loaded) },
  }
}

/** What is generated, and what is not. */
interface Plan {
  /** By the name of a document, as it was. */
  readonly reach: Reach
  /** The documents that others refer to, which are always loaded, and SHA-256 of what they became. */
  readonly shared: readonly string[]
  readonly shape: string
  readonly remembered: ReadonlySet<string>
  readonly beside: Beside
}

function planOf({ changed, kept, memory }: Recalled): Plan | undefined {
  if (!memory.parts) return undefined
  const reach = new Map(memory.parts.reach)
  const shared = sharedDocuments(reach)
  const isUnchanged = (name: string): boolean => (reach.get(name) ?? []).every(file => !changed.has(file))
  if (!shared.every(isUnchanged)) return undefined
  const lost = Object.keys(memory.outputs).filter(path => !kept.has(path))
  const isWritten = (name: string): boolean => lost.every(path => folderOf(path) !== name)
  const outlines = memory.outlines.filter(({ name }) => !shared.includes(name) && isUnchanged(name) && isWritten(name))
  if (outlines.length === 0) return undefined
  const remembered = new Set(outlines.map(({ name }) => name))
  const files = new Map([...kept].filter(([path]) => remembered.has(folderOf(path))))
  const order = memory.outlines.map(({ name }) => name)
  return { reach, shared, shape: memory.parts.shared, remembered, beside: { outlines, files, order } }
}

/** The document that a file of the output is of; none of what stands in its root. */
const folderOf = (path: string): string => path.slice(0, Math.max(0, path.indexOf('/')))

/** Whether others refer to the same documents as before, and these have the same text. */
function areShared({ shared }: Plan, reach: Reach, loaded: Loaded, { memory }: Recalled): boolean {
  if (sharedDocuments(reach).join() !== shared.join()) return false
  const files = shared.flatMap(name => reach.get(name) ?? [])
  return files.every(file => digest(loaded.files.get(file)?.text ?? '') === memory.inputs[file])
}

/** Whether each reason that documents raise which were not loaded is declared as it was. */
function areRaised({ beside, shared }: Plan, { outlines }: Generated, { memory }: Recalled): boolean {
  const common = outlines.filter(({ name }) => shared.includes(name)).flatMap(({ reasons }) => reasons)
  const known = new Set(common.map(([reason]) => reason))
  if (beside.outlines.every(({ raises }) => raises.every(reason => known.has(reason)))) return true
  const declared = (of: readonly Outline[]): string => JSON.stringify(of.map(({ reasons }) => reasons))
  return declared(outlines) === declared(memory.outlines)
}

const reachOf = ({ reach }: Loaded): Reach => new Map([...reach].map(([name, files]) => [name, [...files]]))

const inputsOf = ({ files }: Loaded): Attempt['inputs'] =>
  Object.fromEntries([...files].map(([name, { text }]) => [name, digest(text)]))

async function validations(invocation: Invocation): Promise<Diagnostic[]> {
  const { validate } = await import('./validate.ts')
  return validate(invocation.documents.map(({ file }) => file))
}

/** Whether something is wrong with documents, so that nothing can be made of them. */
export const hasErrors = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some(({ severity }) => severity === 'error')
