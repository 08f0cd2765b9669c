import type { Finding, Inspection } from '../ports/inspection.ts'
import { inspectBuckets } from './inspection/inspect-buckets.ts'
import { inspectClasses } from './inspection/inspect-classes.ts'
import { inspectContents } from './inspection/inspect-contents.ts'
import { inspectUploads } from './inspection/inspect-uploads.ts'
import { inspectUsages } from './inspection/inspect-usages.ts'

/** Checks the rows of classes, instances, buckets, versions, contents and uploads, and the quotas that they take. */
export async function* inspectStorage(inspection: Inspection): AsyncGenerator<Finding, void, undefined> {
  yield* inspectClasses(inspection)
  yield* inspectBuckets(inspection)
  yield* inspectContents(inspection)
  yield* inspectUploads(inspection)
  const { facts, reader } = inspection
  if (facts.taxonomy) yield* inspectUsages(reader, facts.taxonomy)
}
