import type { TaxonomyOperation } from '../../output/taxonomy/types.ts'
import type { TreeChanges } from '../ports/iam.ts'
import type { Parts } from '../ports/parts.ts'
import type { WorkspaceHooks } from '../ports/taxonomy.ts'

/** What the code of the area is given: it alone calls what the other areas do when something happens to a workspace. */
export interface TaxonomyParts extends Parts<TaxonomyOperation> {
  /** Those of all areas, known once all are mounted. */
  readonly hooks: () => readonly WorkspaceHooks[]
  /** What iam is told of the tree. */
  readonly tree: TreeChanges
}
