import type { TaxonomyArea } from '../../../output/taxonomy/area.ts'
import type { Parts } from '../../ports/area-parts.ts'
import type { WorkspaceHooks } from '../../ports/taxonomy.ts'

/** The parts that the code of taxonomy uses. Only taxonomy calls the hooks of other areas for events of a workspace. */
export interface TaxonomyEnvironment extends Parts<TaxonomyArea, 'iam'> {
  /** The hooks of all areas, known once all areas are mounted. */
  readonly hooks: () => readonly WorkspaceHooks[]
}
