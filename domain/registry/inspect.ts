import type { Inspect } from '../ports/inspection.ts'
import { inspectQuotas } from '../resources/quotas/inspect.ts'
import { inspectArtifacts } from './inspection/inspect-artifacts.ts'
import { inspectBlobs } from './inspection/inspect-blobs.ts'
import { inspectLocks } from './inspection/inspect-locks.ts'
import { inspectOpenings } from './inspection/inspect-openings.ts'
import { inspectRepositories } from './inspection/inspect-repositories.ts'
import { inspectRetention } from './inspection/inspect-retention.ts'
import { inspectRules } from './inspection/inspect-rules.ts'
import { inspectScans } from './inspection/inspect-scans.ts'
import { quotaLimitKind } from './quotas/limit-kind.ts'
import { quotas } from './quotas/quotas.ts'

/** Compares what the registry derives with the rows from which it follows. */
export const inspectRegistry: Inspect = async function* (inspection) {
  const { reader } = inspection
  yield* inspectRepositories(inspection)
  yield* inspectArtifacts(reader)
  yield* inspectBlobs(reader)
  yield* inspectRules(reader)
  yield* inspectOpenings(reader)
  yield* inspectLocks(reader)
  yield* inspectScans(inspection)
  yield* inspectRetention(inspection)
  yield* inspectQuotas(reader, quotas, quotaLimitKind)
}
