import type { Transaction } from '../../ports/store.ts'
import { artifactCollection, rowOf } from './artifacts-store.ts'

/** Adds an index to the rows of the manifests that it lists, or takes it off; absent manifests have no row. */
export async function changeParents(
  tx: Transaction,
  repository: string,
  children: readonly string[],
  change: (parents: readonly string[]) => readonly string[],
): Promise<void> {
  for (const child of children) {
    const id = rowOf(repository, child)
    const stored = await tx.get(artifactCollection, id)
    if (!stored) continue
    const parents = [...change(stored.value.parents)]
    await tx.update(artifactCollection, id, { ...stored.value, parents }, stored.version)
  }
}
