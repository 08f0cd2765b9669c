import type { Store } from '../../ports/store.ts'
import { nextTurn } from '../../resources/next-turn.ts'
import { evaluationCollection } from '../alerts/alerts-store.ts'
import { dropEvaluation } from './rule-evaluation.ts'

/**
 * Deletes the rows that belong to the alert rules of a purged workspace, each rule in a transaction of its own. The rules
 * themselves are deleted with the rows of their kind.
 */
export async function purgeAlerts(store: Store, workspace: string): Promise<void> {
  const ids: string[] = []
  for await (const { id } of store.each(evaluationCollection, { workspace_id: workspace })) ids.push(id)
  for (const id of ids) {
    await store.tx(tx => dropEvaluation(tx, id))
    await nextTurn()
  }
}
