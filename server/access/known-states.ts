import type { Decisions } from '../../domain/iam/interfaces/decisions.ts'
import type { Store } from '../../domain/ports/store.ts'
import type { Taxonomy } from '../../domain/ports/taxonomy.ts'

/**
 * Wraps the functions of taxonomy: `checkActive` outside of transactions uses the states that the decisions cache. A
 * suspension is answered once every server has dropped the state (iam.md 4.3), so the answer to a later call is right.
 * The functions read the tree if the workspace is not known to be ACTIVE, and for a check in a transaction.
 */
export function withKnownStates(taxonomy: Taxonomy, store: Store, decisions: Pick<Decisions, 'stateOf'>): Taxonomy {
  return {
    ...taxonomy,
    async checkActive(reader, workspace) {
      if (reader === store && (await decisions.stateOf(workspace)) === 'ACTIVE') return
      await taxonomy.checkActive(reader, workspace)
    },
  }
}
