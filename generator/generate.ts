import { DiagnosticList } from './diagnostics.ts'
import { emit, emitJoined } from './emit/emit.ts'
import { finished } from './emit/finish.ts'
import { checkOverrides } from './emit/templates.ts'
import { build } from './model/build.ts'
import { outlineOf } from './model/outline.ts'
import type { Model, Outline } from './model/types.ts'
import type { GenerateOptions } from './options.ts'
import { check } from './read/check.ts'
import type { Loaded } from './read/types.ts'
import { copyRuntime } from './runtime-copy.ts'

/** What the documents become. */
export interface Generated {
  /** Path relative to the output root, with `/` -> text; empty when the documents have errors. */
  readonly files: ReadonlyMap<string, string>
  /** Of the documents that were loaded; absent when they have errors. */
  readonly model: Model | undefined
  /** Of all documents of the run, in its order; none when there are errors. */
  readonly outlines: readonly Outline[]
  /** What checking and building found, positions not yet looked up; what `load` found is not repeated. */
  readonly diagnostics: DiagnosticList
}

/** The documents of a run that are not loaded, since what becomes of them is known. */
export interface Beside {
  readonly outlines: readonly Outline[]
  /** Their files, as `generate` would give them. */
  readonly files: ReadonlyMap<string, string>
  /** The names of all documents of the run, in its order. */
  readonly order: readonly string[]
}

const nothing: Beside = { outlines: [], files: new Map(), order: [] }

/**
 * The generator without its disk: documents in, files out, the same on every machine. Rejects with `TemplateError` where
 * `options.templates` cannot be used.
 */
export async function generate(loaded: Loaded, options: GenerateOptions, beside: Beside = nothing): Promise<Generated> {
  if (options.templates) checkOverrides(options.templates)
  const diagnostics = new DiagnosticList()
  check(loaded, diagnostics, beside.outlines)
  // What is wrong with a document is said once, by its check: a model is only built of sound ones.
  const model = diagnostics.hasErrors ? undefined : build(loaded, diagnostics, beside.outlines)
  if (!model || diagnostics.hasErrors) return { files: new Map(), model: undefined, outlines: [], diagnostics }
  const made = model.documents.map(document => outlineOf(document, model))
  const place = ({ name }: Outline): number => beside.order.indexOf(name)
  const outlines = [...made, ...beside.outlines].sort((a, b) => place(a) - place(b))
  const emitted = new Map([...emit(model, options), ...emitJoined(outlines, options)])
  const files = new Map([...beside.files, ...(options.templates ? await finished(emitted) : emitted)])
  if (options.runtime.kind !== 'copy') return { files, model, outlines, diagnostics }
  const copied = copyRuntime(files, options.runtimeFiles, options.importEnding)
  return { files: new Map([...files, ...copied]), model, outlines, diagnostics }
}
