import { quotasList } from '../../../output/taxonomy/filters.ts'
import type { Quota } from '../../../output/taxonomy/types.ts'
import type { Collection } from '../../ports/store.ts'

/** The quotas with their present default limits. */
export const quotas: Collection<Quota> = { name: 'taxonomy_quotas', id: 'id', list: quotasList }
