import type { TopologyArea } from '../../../output/topology/area.ts'
import type { Updated } from '../../../runtime/field-mask.ts'
import type { Transaction } from '../../ports/store.ts'
import type { More } from '../../resources/mutation-rules.ts'
import { zoneKind } from '../sites/kinds.ts'
import { allocatableOf, minus } from './capacity.ts'
import { pinnedOf, pinnedText } from './pinned.ts'
import { requireForm } from './pool-form.ts'
import { requireNodes, requireRoomOnTarget, requireUseFits } from './pool-room.ts'
import type { StoredPool } from './pools-store.ts'
import { changeZoneLedger } from './zone-ledger.ts'

/**
 * Runs step 12 of an update: checks the form and the NUMA nodes of the changed pool, and returns its derived members.
 */
export async function changed(
  tx: Transaction,
  { changed: paths, value }: Updated<StoredPool>,
): Promise<More<StoredPool, TopologyArea>> {
  // The form was checked without the stored members, and some rules need these members.
  requireForm(value)
  if (paths.includes('numa_nodes')) await requireNodes(tx, value)
  const allocatable = allocatableOf(value)
  const available = minus(allocatable, value.allocated)
  return { members: { allocatable, available, pinned: pinnedText(pinnedOf(value)) } }
}

/**
 * Runs step 15 of an update: checks that the changed pool has room for its allocations, and that its target has room
 * for the changed pool. Changes the ledger row of the zone if a member that placement reads has changed.
 */
export async function afterChange(tx: Transaction, { changed: paths, value }: Updated<StoredPool>, before: StoredPool) {
  requireUseFits({ ...value, allocatable: allocatableOf(value) }, before)
  if (paths.some(path => path.startsWith('capacity'))) await requireRoomOnTarget(tx, value)
  if (paths.some(path => placing.has(path.split('.', 1)[0] ?? ''))) await changeZone(tx, value)
}

/** The settable members that placement reads, directly or through derived members. */
const placing: ReadonlySet<string> = new Set([
  'capacity',
  'reserved',
  'overcommit',
  'numa_nodes',
  'schedulable',
] satisfies (keyof StoredPool)[])

/** Changes the ledger row of a pool's zone, so that cached rooms are read again. The caller has locked the zone. */
export async function changeZone(tx: Transaction, { zone }: StoredPool): Promise<void> {
  const id = await zoneKind.idNamed(tx, zone)
  if (id !== undefined) await changeZoneLedger(tx, id)
}
