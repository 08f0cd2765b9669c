/** The result of one test file on one store. */
export interface FileReport {
  /** The path from the root of the repository, with `/`. */
  readonly path: string
  /** The name of the project in vitest.config.ts. */
  readonly project: string
  /** Whether the file failed: by a test, by a hook, or because it could not be loaded. */
  readonly isFailed: boolean
  /** The message of the first error outside of a test; empty without such an error. */
  readonly message: string
  readonly tests: readonly TestReport[]
  /** What failed in a first run of the file, if the file ran again alone: the names of tests, or the first message. */
  readonly failedBefore: readonly string[]
  /** The start and end of the file, in milliseconds of the same clock. */
  readonly began: number
  readonly ended: number
}

/** The result of one test. */
export interface TestReport {
  /** The name of the test, preceded by the names of its groups. */
  readonly name: string
  readonly status: 'passed' | 'failed' | 'skipped'
}

/** The result of a run of vitest. */
export interface Report {
  /** The filters that match no test file. With such a filter, no test has run. */
  readonly unknownFilters: readonly string[]
  readonly files: readonly FileReport[]
  /** The errors that no test caught, such as a rejected promise that nothing awaits: each with its file and message. */
  readonly uncaught: readonly string[]
}
