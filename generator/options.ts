/** The endings of relative imports in generated files: `./types.ts`, `./types.js` or `./types`. */
export const importEndings = ['.ts', '.js', ''] as const
/** An ending of relative imports. */
export type ImportEnding = (typeof importEndings)[number]

/**
 * The answers that validators check. `records`: only those that a server reads back, which are the records of
 * operations, and what other documents answer with.
 */
export const answerChecks = ['all', 'records'] as const
/** One of `answerChecks`. */
export type AnswerChecks = (typeof answerChecks)[number]

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

/** A template that replaces a built-in template: its text, and its file as messages name it. */
export interface Override {
  readonly file: string
  readonly text: string
}

/** The options of the emitters. */
export interface EmitOptions {
  readonly runtime: RuntimeNaming
  readonly importEnding: ImportEnding
  /** The answers that validators check; absent for all. */
  readonly answerChecks?: AnswerChecks
  /**
   * Whether files lie directly in the output root instead of a folder for each document; for a single document only.
   */
  readonly flat: boolean
  /**
   * The class that joins the clients of all documents, in a file of the output root; absent if not wanted. Not with
   * `flat`.
   */
  readonly client?: string
  /** The permission keys that have bits already, in their order; absent if no bits are wanted. Not with `flat`. */
  readonly permissionBits?: readonly string[]
  /** Templates in place of built-in ones; absent: none. */
  readonly templates?: ReadonlyMap<TemplateName, Override>
}

/** The options of `generate`. */
export interface GenerateOptions extends EmitOptions {
  /**
   * For `copy`, the runtime's modules: for each path below `runtime/` (`filter/types.ts`), the text with imports ending
   * in `.ts`. Empty for the other kinds.
   */
  readonly runtimeFiles: ReadonlyMap<string, string>
}
