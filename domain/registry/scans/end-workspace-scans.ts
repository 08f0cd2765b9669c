import type { Operations } from '../../ports/operations.ts'
import type { Store } from '../../ports/store.ts'
import type { NodeState } from '../../ports/taxonomy.ts'
import type { RegistryArea } from '../../../output/registry/area.ts'
import { scanCollection } from '../scan-results/scans-store.ts'

/** The parts by which scans end. */
interface Ending {
  readonly operations: Pick<Operations<RegistryArea>, 'cancel'>
  readonly store: Store
}

/** Ends the scans in progress of a workspace that is not ACTIVE (registry.md 4.9). Returns true once none is left. */
export async function endScans(
  { operations, store }: Ending,
  workspace_id: string,
  state: NodeState,
): Promise<boolean> {
  if (state === 'ACTIVE') return true
  const inProgress = ['REGISTRY_SCAN_STATE_PENDING', 'REGISTRY_SCAN_STATE_RUNNING']
  const ids = new Set<string>()
  for await (const { value } of store.each(scanCollection, { workspace_id, state: inProgress }))
    ids.add(value.operation_id)
  for (const id of ids) await store.tx(tx => operations.cancel(tx, id, `the workspace is ${state}`))
  return ids.size === 0
}
