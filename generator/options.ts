/** How relative imports end in generated files: `./types.ts`, `./types.js` or `./types`. */
export const importEndings = ['.ts', '.js', ''] as const
export type ImportEnding = (typeof importEndings)[number]

/** Where generated files find the runtime. */
export type RuntimeNaming =
  /** The runtime's files are written beside the output, in `runtime/` of its root: no dependency. */
  | { readonly kind: 'copy' }
  /** Modules of an installed package: `<name>/<module>`, which its `exports` map; no ending. */
  | { readonly kind: 'package'; readonly name: string }
  /** A folder that exists: `path` is relative to the output root, with `/` (`../runtime`). */
  | { readonly kind: 'folder'; readonly path: string }

/** The templates that output is made with; docs/generator.md lists them with their views. */
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
export type TemplateName = (typeof templateNames)[number]

/** A template that stands in place of a built-in one: its text, and its file as messages name it. */
export interface Override {
  readonly file: string
  readonly text: string
}

/** What the emitters are told beside the model. */
export interface EmitOptions {
  readonly runtime: RuntimeNaming
  readonly importEnding: ImportEnding
  /** Files stand directly in the output root instead of in a folder a document; for one document only. */
  readonly flat: boolean
  /** The class that joins the clients of all documents, in a file of the output root; absent: none. Not with `flat`. */
  readonly client?: string
  /** The permission keys that have bits already, in their order; absent: no bits are wanted. Not with `flat`. */
  readonly permissionBits?: readonly string[]
  /** Templates in place of built-in ones; absent: none. */
  readonly templates?: ReadonlyMap<TemplateName, Override>
}

/** What `generate` is told beside the documents. */
export interface GenerateOptions extends EmitOptions {
  /**
   * The runtime's modules for `copy`: path under `runtime/` (`filter/types.ts`) -> text, imports ending in `.ts`.
   * Empty for the other kinds.
   */
  readonly runtimeFiles: ReadonlyMap<string, string>
}
