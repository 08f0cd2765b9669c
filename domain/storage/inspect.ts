import type { Finding, Inspection } from '../ports/inspection.ts'
import { inspectBuckets } from './inspection/inspect-buckets.ts'
import { inspectClasses } from './inspection/inspect-classes.ts'
import { inspectContents } from './inspection/inspect-contents.ts'

/** Checks the rows of classes, instances, buckets, versions and contents. */
export async function* inspectStorage(inspection: Inspection): AsyncGenerator<Finding, void, undefined> {
  yield* inspectClasses(inspection)
  yield* inspectBuckets(inspection)
  yield* inspectContents(inspection)
}
