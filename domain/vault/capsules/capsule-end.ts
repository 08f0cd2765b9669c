import type { Capsule } from '../../../output/vault/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { nextEtag } from '../../resources/etag.ts'
import { clearAgenda, setAgenda } from '../work/agenda.ts'
import {
  capsuleCollection,
  capsulePayloads,
  capsuleState,
  type ShortState,
  type StoredCapsule,
} from './capsules-store.ts'

/** The time for which a capsule is kept after its end, in milliseconds. */
export const keptMs = 90 * 86_400_000

/**
 * Ends an active capsule, whose row is locked: erases its payload, and plans the removal of the row. `members` are
 * further members to set.
 */
export async function endCapsule(
  tx: Transaction,
  { id, value, version }: Stored<StoredCapsule>,
  state: Exclude<ShortState, 'ACTIVE'>,
  now: number,
  members: Partial<Capsule> = {},
): Promise<void> {
  const time = formatMillis(now)
  const ended = { ...value, ...members, state: capsuleState(state), update_time: time, etag: nextEtag(value.etag) }
  await tx.update(capsuleCollection, id, ended, version)
  await erasePayload(tx, id)
  await setAgenda(tx, 'capsules.expire', value, undefined)
  await setAgenda(tx, 'capsules.remove', value, formatMillis(now + keptMs))
}

/** Deletes a capsule with its payload and its due work. The transaction has locked the capsule. */
export async function removeCapsule(tx: Transaction, { id, version }: Stored<StoredCapsule>): Promise<void> {
  await erasePayload(tx, id)
  await clearAgenda(tx, id)
  await tx.delete(capsuleCollection, id, version)
}

async function erasePayload(tx: Transaction, id: string): Promise<void> {
  const payload = await tx.get(capsulePayloads, id)
  if (payload) await tx.delete(capsulePayloads, id, payload.version)
}
