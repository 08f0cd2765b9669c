import type { Transaction } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { workspaceScope } from '../../resources/kind.ts'

/** Returns the first time after `now` that is whole periods after `last`; all in milliseconds. */
export const nextTime = (last: number, periodMs: number, now: number): number =>
  last + (Math.floor((now - last) / periodMs) + 1) * periodMs

/** Returns whether rotation and scheduled destruction may act in a workspace (vault.md 4.7). */
export async function isActive(
  { taxonomy }: { readonly taxonomy: Pick<Taxonomy, 'effectiveState'> },
  tx: Transaction,
  workspace: string,
): Promise<boolean> {
  return (await taxonomy.effectiveState(tx, workspaceScope(workspace)))?.state === 'ACTIVE'
}
