import { taxonomyFilters } from '../../output/taxonomy/filters.ts'
import type { FilterSchemasHandlers } from '../../output/taxonomy/handlers.ts'
import { FilterSchemaRecords } from '../resources/filter-schemas.ts'

/** What the lists of the area can be filtered and sorted by. */
export class FilterSchemas extends FilterSchemaRecords implements FilterSchemasHandlers {
  constructor() {
    super(taxonomyFilters)
  }
}
