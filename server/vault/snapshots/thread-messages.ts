import type { ReadPlace } from './open-exported.ts'
import type { SnapshotFile, WrittenSnapshot } from './write-snapshot.ts'

/** The work of the thread of a snapshot. */
export interface ThreadWork extends SnapshotFile {
  readonly place: ReadPlace
  readonly verify: boolean
}

/** The result of the thread. */
export type ThreadResult =
  | ({ readonly kind: 'written' } & WrittenSnapshot)
  /** `stage` is the failed part of the work; `message` is for the log, `fault` for callers, without a path. */
  | {
      readonly kind: 'failed'
      readonly stage: 'write' | 'verify'
      readonly message: string
      readonly fault: string
    }
