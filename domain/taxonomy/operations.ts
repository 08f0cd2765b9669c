import type { TaxonomyOperationHandlers } from '../../output/taxonomy/handlers.ts'
import type { TaxonomyArea } from '../../output/taxonomy/area.ts'
import { OperationRecords } from '../resources/operation-records.ts'

/** Serves the operation records of the area. */
export class TaxonomyOperations extends OperationRecords<TaxonomyArea> implements TaxonomyOperationHandlers {}
