import type { TopologyArea } from '../../../output/topology/area.ts'
import type { Updated } from '../../../runtime/field-mask.ts'
import type { Transaction } from '../../ports/store.ts'
import type { More } from '../../resources/resources.ts'
import { zoneKind } from '../sites/kinds.ts'
import { allocatableOf, minus } from './capacity.ts'
import { pinnedOf, pinnedText } from './pinned.ts'
import { requireForm } from './pool-form.ts'
import { requireNodes, requireRoomOnTarget, requireUseFits } from './pool-room.ts'
import type { StoredPool } from './pools-store.ts'
import { changeZoneLedger } from './zone-ledger.ts'

/** Step 12 of an update: the form and the nodes of the future pool, and what follows from its members. */
export async function changed(
  tx: Transaction,
  { changed: paths, value }: Updated<StoredPool>,
): Promise<More<StoredPool, TopologyArea>> {
  // Rules of the form that need the stored members.
  requireForm(value)
  if (paths.includes('numa_nodes')) await requireNodes(tx, value)
  const allocatable = allocatableOf(value)
  const available = minus(allocatable, value.allocated)
  return { members: { allocatable, available, pinned: pinnedText(pinnedOf(value)) } }
}

/** Step 15 of an update. */
export async function afterChange(tx: Transaction, { changed: paths, value }: Updated<StoredPool>, before: StoredPool) {
  requireUseFits({ ...value, allocatable: allocatableOf(value) }, before)
  if (paths.some(path => path.startsWith('capacity'))) await requireRoomOnTarget(tx, value)
  if (paths.some(path => placing.has(path.split('.', 1)[0] ?? ''))) await changeZone(tx, value)
}

/** The members that placement looks at. */
const placing: ReadonlySet<string> = new Set([
  'capacity',
  'reserved',
  'overcommit',
  'numa_nodes',
  'schedulable',
] satisfies (keyof StoredPool)[])

/** Tells the zone of a pool that its pools have changed. The caller has locked the zone, which holds the pool. */
export async function changeZone(tx: Transaction, { zone }: StoredPool): Promise<void> {
  const id = await zoneKind.idNamed(tx, zone)
  if (id !== undefined) await changeZoneLedger(tx, id)
}
