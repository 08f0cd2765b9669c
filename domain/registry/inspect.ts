import type { Inspect } from '../ports/inspection.ts'
import { inspectQuotas } from '../resources/quotas/inspect.ts'
import { quotaLimitKind } from './quotas/limit-kind.ts'
import { quotas } from './quotas/quotas.ts'

/** Compares what the registry derives with the rows from which it follows. */
export const inspectRegistry: Inspect = async function* ({ reader }) {
  yield* inspectQuotas(reader, quotas, quotaLimitKind)
}
