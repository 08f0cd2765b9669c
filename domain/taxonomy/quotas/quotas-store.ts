import { quotasList } from '../../../output/taxonomy/filters.ts'
import type { Quota } from '../../../output/taxonomy/types.ts'
import type { Collection } from '../../ports/store.ts'

export const quotas: Collection<Quota> = { name: 'taxonomy_quotas', id: 'id', list: quotasList }
