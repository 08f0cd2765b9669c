import type { OpenAccess } from '../../../server/access/platform-access.ts'
import { openIamAt } from '../../../server/iam/open.ts'
import { quickCost } from '../../domain/iam/quick-cost.ts'

/** Opens iam as `openIam` does, but with the lowest cost of password hashes. */
export const openQuickIam: OpenAccess = sources => openIamAt(sources, quickCost)
