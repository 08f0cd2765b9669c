import type { TaxonomyArea } from '../../../output/taxonomy/area.ts'
import type { Parts } from '../../ports/area-parts.ts'
import type { WorkspaceHooks } from '../../ports/taxonomy.ts'

/**
 * The parts that the code of the area gets. Taxonomy alone calls the hooks that other areas have for events of a
 * workspace.
 */
export interface TaxonomyEnvironment extends Parts<TaxonomyArea, 'iam'> {
  /** The hooks of all areas, known once all areas are mounted. */
  readonly hooks: () => readonly WorkspaceHooks[]
}
