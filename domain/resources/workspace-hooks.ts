import type { Reader, Store } from '../ports/store.ts'
import type { Holding, Taxonomy, WorkspaceHooks } from '../ports/taxonomy.ts'
import type { AnyKind } from './kind.ts'

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/**
 * The number of rows that a purge deletes in one transaction: it takes a few milliseconds, and other work runs in
 * between.
 */
const batchSize = 100

interface PurgeServices {
  readonly store: Store
  readonly taxonomy: Pick<Taxonomy, 'consume'>
}

/** Counts the resources that users created in a workspace, by kind (conventions §14). */
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
 * Deletes all rows of the kinds in a workspace, in the order of the kinds, with all references from and to them, in
 * batches between which other work runs. It is idempotent: an interrupted purge continues with the remaining rows.
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

/** The hooks that follow from an area's kinds, after the area's own hooks. */
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
