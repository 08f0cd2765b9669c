import type { OpenAccess } from '../../../server/access/platform-access.ts'
import { openIamAt } from '../../../server/iam/open.ts'
import { quickCost } from '../../domain/iam/quick-cost.ts'

/** Guards as `openIam` does, but hashes passwords at next to no cost. */
export const openQuickIam: OpenAccess = sources => openIamAt(sources, quickCost)
