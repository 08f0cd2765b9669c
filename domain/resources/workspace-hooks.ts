import type { Reader, Store } from '../ports/store.ts'
import type { Holding, Taxonomy, WorkspaceHooks } from '../ports/taxonomy.ts'
import type { AnyKind } from './kind.ts'

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** Rows that a purge deletes in one transaction: a few milliseconds, after which others have their turn. */
const batchSize = 100

interface PurgeParts {
  readonly store: Store
  readonly taxonomy: Pick<Taxonomy, 'consume'>
}

/** How many resources a workspace holds that its users made, by kind (conventions §14). */
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
 * Deletes all rows of the kinds in a workspace, the kinds in their order, with what they refer to and what refers to
 * them, in batches that let others have their turn. Idempotent: a purge that was cut off goes on with the rows left.
 */
export async function purgeRows(
  kinds: readonly AnyKind[],
  { store, taxonomy }: PurgeParts,
  workspace: string,
): Promise<void> {
  for (const kind of kinds.filter(({ isOfWorkspace }) => isOfWorkspace)) {
    while ((await store.tx(tx => kind.purgeIn(tx, taxonomy, workspace, batchSize))) === batchSize) await nextTurn()
  }
}

/** The hooks of an area as far as its kinds tell them, beside those of its own, which come first. */
export function kindHooks(
  area: string,
  kinds: readonly AnyKind[],
  parts: PurgeParts,
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
