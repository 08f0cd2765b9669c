import type { OpenBucket } from './bucket.ts'
import type { Limit } from './limit.ts'
import type { Progress } from './progress.ts'

/** The options of a copy. */
export interface CopyOptions {
  readonly recursive?: true
  /** The media type of uploads; without it, the ending of each file decides. */
  readonly contentType?: string
  readonly ifAbsent?: true
}

/** A copy to be made: its name for reports, and the function that makes it. */
export interface Task {
  readonly name: string
  readonly size: number
  readonly run: () => Promise<'copied' | 'unchanged'>
}

/** The copies of a command; those of many files are found while the first are made. */
export type Tasks = AsyncIterable<Task> | readonly Task[]

/** The parts that all copies of one command share. */
export interface Copying {
  readonly flags: CopyOptions
  readonly progress: Progress
  readonly transfers: Limit
}

/** The place of the objects that a command makes. */
export interface Target {
  readonly bucket: OpenBucket
  readonly name: string
}

/** Iterates over the results of a function for items; items for which it returns undefined are left out. */
export async function* mapped<T, R>(
  items: AsyncIterable<T>,
  map: (item: T) => R | undefined,
): AsyncGenerator<R, void, undefined> {
  for await (const item of items) {
    const made = map(item)
    if (made !== undefined) yield made
  }
}
