import { taxonomyFilters } from '../../output/taxonomy/filters.ts'
import type { FilterSchemasHandlers } from '../../output/taxonomy/handlers.ts'
import { FilterSchemaRecords } from '../resources/filter-schemas.ts'

/** Serves the filter schemas of the area. */
export class FilterSchemas extends FilterSchemaRecords implements FilterSchemasHandlers {
  constructor() {
    super(taxonomyFilters)
  }
}
