import { startTaxonomy, taxonomy, taxonomyCollections } from '../domain/taxonomy/area.ts'
import { taxonomy as taxonomyDomain } from '../output/taxonomy/errors.ts'
import { operationsList } from '../output/taxonomy/filters.ts'
import { checkTaxonomyOperation } from '../output/taxonomy/validators.ts'
import { area, type AreaModule } from './area.ts'

/** The areas that a server mounts, in the order in which they make what exists from the first start. */
export const areas: readonly AreaModule[] = [
  area({
    domain: taxonomyDomain,
    collections: taxonomyCollections,
    operations: { list: operationsList, check: checkTaxonomyOperation },
    routes: taxonomy,
    start: startTaxonomy,
  }),
]
