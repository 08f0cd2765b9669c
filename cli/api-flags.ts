import type { OutputForm } from './answer-printer.ts'

/** The options of `ninefold api` as the command line gives them. */
export interface ApiFlags {
  readonly list?: true | string
  readonly body?: string
  readonly all?: true
  readonly limit?: number
  readonly wait?: true
  readonly output?: OutputForm
  readonly url?: string
}
