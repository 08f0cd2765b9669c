import type { Finding, Inspection } from '../ports/inspection.ts'
import { inspectBuckets } from './buckets/inspect-buckets.ts'
import { inspectClasses } from './classes/inspect-classes.ts'
import { inspectContents } from './contents/inspect-contents.ts'

/** Checks the rows of classes, instances, buckets, versions and contents. */
export async function* inspectStorage(inspection: Inspection): AsyncGenerator<Finding, void, undefined> {
  yield* inspectClasses(inspection)
  yield* inspectBuckets(inspection)
  yield* inspectContents(inspection)
}
