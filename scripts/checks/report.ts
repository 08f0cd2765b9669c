/** What became of one test file on one store. */
export interface FileReport {
  /** From the root of the repository, with `/`. */
  readonly path: string
  /** The project of vitest.config.ts. */
  readonly project: string
  /** Whether the file failed, be it by a test, by a hook or because it cannot be loaded. */
  readonly isFailed: boolean
  /** The first error that belongs to no test, else empty. */
  readonly message: string
  readonly tests: readonly TestReport[]
  /** When the file was begun and when it ended, in milliseconds of one clock. */
  readonly began: number
  readonly ended: number
}

export interface TestReport {
  /** The name of the test behind those of its groups. */
  readonly name: string
  readonly status: 'passed' | 'failed' | 'skipped'
}

/** A run of vitest. */
export interface Report {
  /** Filters that fit no test file; when there is one, nothing has run. */
  readonly unknownFilters: readonly string[]
  readonly files: readonly FileReport[]
}
