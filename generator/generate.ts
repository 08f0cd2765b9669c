import { DiagnosticList } from './diagnostics.ts'
import type { Outline } from './document-outline.ts'
import { type Answered, emit, emitJoined } from './emit/emit.ts'
import { finished } from './emit/templates/finish-overrides.ts'
import { checkOverrides } from './emit/templates/render.ts'
import { build } from './model/build.ts'
import { noteInt64s } from './model/exact-answers.ts'
import { outlineOf } from './model/outline.ts'
import type { Model } from './model/types.ts'
import { answeredBy } from './model/views.ts'
import type { GenerateOptions } from './options.ts'
import { check } from './read/check.ts'
import type { Loaded } from './read/types.ts'
import { copyRuntime } from './runtime-copy.ts'

/** The result of generating documents. */
export interface Generated {
  /**
   * The text of each generated file, keyed by the path relative to the output root, with `/`; empty if the documents
   * have errors.
   */
  readonly files: ReadonlyMap<string, string>
  /** The model of the loaded documents; undefined if the documents have errors. */
  readonly model: Model | undefined
  /** The outlines of all documents, in the order of the run; empty if there are errors. */
  readonly outlines: readonly Outline[]
  /**
   * The diagnostics of checking and building; their positions are not computed yet. The diagnostics of `load` are not
   * repeated.
   */
  readonly diagnostics: DiagnosticList
}

/** The documents of a run that need no loading, because their results are cached. */
export interface CachedDocuments {
  readonly outlines: readonly Outline[]
  /** The generated files of these documents. */
  readonly files: ReadonlyMap<string, string>
  /** The names of all documents, in the order of the run. */
  readonly order: readonly string[]
}

const nothing: CachedDocuments = { outlines: [], files: new Map(), order: [] }

/**
 * Generates files from loaded documents without writing to the disk. The same documents and options have the same
 * result on every machine. Rejects with `TemplateError` if `options.templates` cannot be used.
 */
export async function generate(
  loaded: Loaded,
  options: GenerateOptions,
  beside: CachedDocuments = nothing,
): Promise<Generated> {
  if (options.templates) checkOverrides(options.templates)
  const diagnostics = new DiagnosticList()
  check(loaded, diagnostics, beside.outlines)
  // Only valid documents are built, so that `build` does not report the faults of `check` again.
  const model = diagnostics.hasErrors
    ? undefined
    : build(loaded, diagnostics, beside.outlines, options.int64 !== undefined)
  if (model && !options.int64 && !options.int64AsNumber) noteInt64s(model, diagnostics)
  if (!model || diagnostics.hasErrors) return { files: new Map(), model: undefined, outlines: [], diagnostics }
  const made = model.documents.map(document => outlineOf(document, model))
  const place = ({ name }: Outline): number => beside.order.indexOf(name)
  const outlines = [...made, ...beside.outlines].sort((a, b) => place(a) - place(b))
  const elsewhere = outlines.flatMap(({ reaches }) => reaches.answered)
  const schemas = model.documents.flatMap(document => document.schemas)
  const answered: Answered = ids => answeredBy([], schemas, [...ids, ...elsewhere])
  const emitted = new Map([...emit(model, options, answered), ...emitJoined(outlines, options)])
  const files = new Map([...beside.files, ...(options.templates ? await finished(emitted) : emitted)])
  if (options.runtime.kind !== 'copy') return { files, model, outlines, diagnostics }
  const copied = copyRuntime(files, options.runtimeFiles, options.importEnding)
  return { files: new Map([...files, ...copied]), model, outlines, diagnostics }
}
