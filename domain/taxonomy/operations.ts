import type { TaxonomyOperationHandlers } from '../../output/taxonomy/handlers.ts'
import type { TaxonomyArea } from '../../output/taxonomy/area.ts'
import { OperationRecords } from '../resources/operation-records.ts'

/** The records of what the area's mutations did. */
export class Operations extends OperationRecords<TaxonomyArea> implements TaxonomyOperationHandlers {}
