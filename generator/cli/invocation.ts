import type { AnswerChecks, ImportEnding, Int64 } from '../options.ts'

/** The parsed command line of `generate`. The parser has checked the syntax, but has not read any document. */
export interface Invocation {
  /** The entry documents in the given order, at least one document, each with its name. */
  readonly documents: readonly { readonly file: string; readonly name: string }[]
  /** The path of the output root. */
  readonly out: string
  /** `copy`, `package`, or the path of a folder that holds the runtime. */
  readonly runtime: string
  readonly importEnding: ImportEnding
  readonly answerChecks: AnswerChecks
  /** The chosen form of integers of the format `int64`; undefined for numbers without a choice. */
  readonly int64: Int64 | 'number' | undefined
  /** The name of the class that joins the clients of all documents; undefined for no joined client. */
  readonly client: string | undefined
  /** The path of the file that stores the bits of permission keys; undefined for no permission bits. */
  readonly permissionBits: string | undefined
  /** The folder of templates that replace built-in templates; undefined for built-in templates only. */
  readonly templates: string | undefined
  /** Whether to write nothing and list the differences instead. */
  readonly check: boolean
  /** Whether warnings make the run fail. */
  readonly strict: boolean
  /** Whether to print the table of documents. */
  readonly report: boolean
  /** Whether to keep running and generate again after each change. */
  readonly watch: boolean
  /** Whether to run swagger-parser's validation too. */
  readonly validate: boolean
  /** Whether references may leave the folder of their entry document. */
  readonly allowRefs: boolean
  /** The folder of handwritten code to which stubs are added; undefined for no stubs. */
  readonly scaffold: string | undefined
  /** Whether to print the time of each stage, and the stack of a defect. */
  readonly timings: boolean
  /** Whether to overwrite files that the generator did not write. */
  readonly force: boolean
}

/** The options as commander parses them. */
export interface Flags {
  readonly out: string
  readonly name?: readonly string[]
  readonly runtime: string
  readonly importEnding: '.ts' | '.js' | 'none'
  readonly answerChecks: AnswerChecks
  readonly int64?: Int64 | 'number'
  readonly client?: string
  readonly permissionBits?: string
  readonly templates?: string
  readonly check?: true
  readonly strict?: true
  readonly report?: true
  readonly watch?: true
  readonly validate?: true
  readonly allowRefs?: true
  readonly scaffold?: string
  readonly timings?: true
  readonly force?: true
}
