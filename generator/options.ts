/** The endings of relative imports in generated files: `./types.ts`, `./types.js` or `./types`. */
export const importEndings = ['.ts', '.js', ''] as const
/** An ending of relative imports. */
export type ImportEnding = (typeof importEndings)[number]

/**
 * The choices of the answers that validators check. With `records`, validators check only the answers that a server
 * reads back: the records of operations, and the schemas that answers of other documents contain.
 */
export const answerChecks = ['all', 'records'] as const
/** One of `answerChecks`. */
export type AnswerChecks = (typeof answerChecks)[number]

/** The forms in which generated code holds integers of the format `int64`, in place of numbers. */
export const int64s = ['bigint', 'string'] as const
/** One of `int64s`. */
export type Int64 = (typeof int64s)[number]

/** The place where generated files find the runtime. */
export type RuntimeNaming =
  /** The runtime's files are copied into `runtime/` of the output root, so that the output needs no package. */
  | { readonly kind: 'copy' }
  /**
   * Generated files import an installed package by `<name>/<module>`, without ending. The `exports` of the package map
   * these paths.
   */
  | { readonly kind: 'package'; readonly name: string }
  /** An existing folder; `path` is relative to the output root, with `/` (`../runtime`). */
  | { readonly kind: 'folder'; readonly path: string }

/** The names of the templates; docs/generator.md lists them with their views. */
export const templateNames = [
  'area',
  'client',
  'errors',
  'filters',
  'joined-client',
  'permission-bits',
  'permissions',
  'routes',
] as const
/** The name of a template. */
export type TemplateName = (typeof templateNames)[number]

/** A template that replaces a built-in template. `text` is its source, and `file` is its name in messages. */
export interface Override {
  readonly file: string
  readonly text: string
}

/** The options of the emitters. */
export interface EmitOptions {
  readonly runtime: RuntimeNaming
  readonly importEnding: ImportEnding
  /** The choice of the answers that validators check. Without a choice, validators check all answers. */
  readonly answerChecks?: AnswerChecks
  /** The form of integers of the format `int64`. Without a choice, they are numbers. */
  readonly int64?: Int64
  /**
   * Whether files lie directly in the output root instead of in a folder for each document. Only allowed for a single
   * document.
   */
  readonly flat: boolean
  /**
   * The name of the class that joins the clients of all documents, in a file of the output root; absent if no such
   * class is wanted. Not allowed with `flat`.
   */
  readonly client?: string
  /**
   * The permission keys that have bits already, in the order of their bits; absent if no bits are wanted. Not allowed
   * with `flat`.
   */
  readonly permissionBits?: readonly string[]
  /** The templates that replace built-in templates; absent if no template is replaced. */
  readonly templates?: ReadonlyMap<TemplateName, Override>
}

/** The options of `generate`. */
export interface GenerateOptions extends EmitOptions {
  /**
   * For `copy`, the source of each module of the runtime, keyed by its path below `runtime/` (`filter/types.ts`), with
   * imports ending in `.ts`. Empty for the other kinds of runtime.
   */
  readonly runtimeFiles: ReadonlyMap<string, string>
  /** True if the caller has chosen numbers for integers of the format `int64`, so that no note about them is needed. */
  readonly int64AsNumber?: true
}
