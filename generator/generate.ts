import { DiagnosticList } from './diagnostics.ts'
import { emit } from './emit/emit.ts'
import { build } from './model/build.ts'
import type { Model } from './model/types.ts'
import type { GenerateOptions } from './options.ts'
import { check } from './read/check.ts'
import type { Loaded } from './read/types.ts'
import { copyRuntime } from './runtime-copy.ts'

/** What the documents become. */
export interface Generated {
  /** Path relative to the output root, with `/` -> text; empty when the documents have errors. */
  readonly files: ReadonlyMap<string, string>
  /** Absent when the documents have errors. */
  readonly model: Model | undefined
  /** What checking and building found, positions not yet looked up; what `load` found is not repeated. */
  readonly diagnostics: DiagnosticList
}

/** The generator without its disk: documents in, files out, the same on every machine. */
export function generate(loaded: Loaded, options: GenerateOptions): Generated {
  const diagnostics = new DiagnosticList()
  check(loaded, diagnostics)
  // What is wrong with a document is said once, by its check: a model is only built of sound ones.
  const model = diagnostics.hasErrors ? undefined : build(loaded, diagnostics)
  if (!model || diagnostics.hasErrors) return { files: new Map(), model: undefined, diagnostics }
  const files = emit(model, options)
  if (options.runtime.kind !== 'copy') return { files, model, diagnostics }
  const copied = copyRuntime(files, options.runtimeFiles, options.importEnding)
  return { files: new Map([...files, ...copied]), model, diagnostics }
}
