import type { Reader, Store } from '../ports/store.ts'
import type { Holding, Taxonomy, WorkspaceHooks } from '../ports/taxonomy.ts'
import { nextTurn } from './next-turn.ts'
import type { AnyKind } from './kind.ts'

/**
 * The number of rows that a purge deletes in one transaction, which takes a few milliseconds. Other transactions run
 * between the transactions of a purge.
 */
const batchSize = 100

interface PurgeServices {
  readonly store: Store
  readonly taxonomy: Pick<Taxonomy, 'consume'>
}

/**
 * Counts the resources that users created in a workspace, for each kind whose resources count as holdings (conventions
 * §14).
 */
export async function holdingsOf(
  kinds: readonly AnyKind[],
  reader: Reader,
  workspace: string,
): Promise<readonly Holding[]> {
  const counted = kinds.filter(({ isHolding, isOfWorkspace }) => isHolding && isOfWorkspace)
  return Promise.all(
    counted.map(async kind => ({ resourceType: kind.type, count: await kind.countIn(reader, workspace) })),
  )
}

/**
 * Deletes all rows of the kinds in a workspace, in the order of the kinds, with all references from and to the rows.
 * Other transactions run between the batches. An interrupted purge may run again: it deletes the remaining rows.
 */
export async function purgeRows(
  kinds: readonly AnyKind[],
  { store, taxonomy }: PurgeServices,
  workspace: string,
): Promise<void> {
  for (const kind of kinds.filter(({ isOfWorkspace }) => isOfWorkspace)) {
    while ((await store.tx(tx => kind.purgeIn(tx, taxonomy, workspace, batchSize))) === batchSize) await nextTurn()
  }
}

/**
 * Returns the workspace hooks of an area: its own hooks, with the counts and the purge of its kinds. The area's own
 * purge runs first.
 */
export function kindHooks(
  area: string,
  kinds: readonly AnyKind[],
  parts: PurgeServices,
  own: Partial<WorkspaceHooks> = {},
): WorkspaceHooks {
  return {
    ...own,
    area,
    async holdings(reader, workspace) {
      const more = (await own.holdings?.(reader, workspace)) ?? []
      return [...(await holdingsOf(kinds, reader, workspace)), ...more]
    },
    async purgeWorkspace(workspace) {
      await own.purgeWorkspace?.(workspace)
      await purgeRows(kinds, parts, workspace)
    },
  }
}
