import type { ImportEnding } from '../options.ts'

/** What the command line asks `generate` for, checked as far as words go; nothing of it was looked up on the disk. */
export interface Invocation {
  /** Entry documents in the order given, at least one, each with the name of its output folder. */
  readonly documents: readonly { readonly file: string; readonly name: string }[]
  /** The output root. */
  readonly out: string
  /** `copy`, `package`, or a folder that holds the runtime. */
  readonly runtime: string
  readonly importEnding: ImportEnding
  /** The class that joins the clients of all documents. */
  readonly client: string | undefined
  /** The file that keeps the bits of permission keys. */
  readonly permissionBits: string | undefined
  /** The folder of templates that stand in place of built-in ones. */
  readonly templates: string | undefined
  /** Write nothing, list what differs. */
  readonly check: boolean
  /** Warnings fail as errors do. */
  readonly strict: boolean
  /** Print the table of documents. */
  readonly report: boolean
  /** Stay, and generate again after each change. */
  readonly watch: boolean
  /** Run swagger-parser's validation as well. */
  readonly validate: boolean
  /** Let references leave the folder of their entry document. */
  readonly allowRefs: boolean
  /** The folder of handwritten code that gets stubs. */
  readonly scaffold: string | undefined
  /** Print the time of each stage, and stacks. */
  readonly timings: boolean
  /** Take over files that the generator did not write. */
  readonly force: boolean
}

/** The options as commander hands them over. */
export interface Flags {
  readonly out: string
  readonly name?: readonly string[]
  readonly runtime: string
  readonly importEnding: '.ts' | '.js' | 'none'
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
