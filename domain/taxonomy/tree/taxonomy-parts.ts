import type { TaxonomyArea } from '../../../output/taxonomy/area.ts'
import type { Parts } from '../../ports/parts.ts'
import type { WorkspaceHooks } from '../../ports/taxonomy.ts'

/** What the code of the area is given: it alone calls what the other areas do when something happens to a workspace. */
export interface TaxonomyParts extends Parts<TaxonomyArea, 'iam'> {
  /** Those of all areas, known once all are mounted. */
  readonly hooks: () => readonly WorkspaceHooks[]
}
