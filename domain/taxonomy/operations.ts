import type { TaxonomyOperationHandlers } from '../../output/taxonomy/handlers.ts'
import type { TaxonomyOperation } from '../../output/taxonomy/types.ts'
import { OperationRecords } from '../records/operations.ts'

/** The records of what the area's mutations did. */
export class Operations extends OperationRecords<TaxonomyOperation> implements TaxonomyOperationHandlers {}
