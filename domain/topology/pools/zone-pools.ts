import { LRUCache } from 'lru-cache'
import type { Reader, Transaction } from '../../ports/store.ts'
import type { KnownZone } from '../../ports/topology.ts'
import { targetCollection } from '../sites/targets-store.ts'
import type { PoolRoom } from './placement.ts'
import { roomOf } from './pool-use.ts'
import { poolCollection, type StoredPool } from './pools-store.ts'
import { changeZoneLedger } from './zone-ledger.ts'

/** The maximal number of resource pools in the cache, over all zones. */
const maxPools = 50_000

/** The rooms of a zone's pools at a version of its ledger row. */
interface KnownRooms {
  readonly version: number
  readonly rooms: readonly PoolRoom[]
}

/** The pools of a zone within a transaction that has locked the ledger row of the zone. */
export interface LockedZone {
  /** Returns the rooms of all pools of the zone, from the cache if the cached rooms are of the present version. */
  rooms(): Promise<readonly PoolRoom[]>
  /** Replaces the room of a pool whose use the transaction has changed. */
  changed(pool: StoredPool): void
  /** Drops the cached rooms of the zone, because a row contradicts them. */
  forget(): void
}

/**
 * The rooms of the resource pools of each zone, cached between transactions. An entry has the version of the locked
 * ledger row at which the rooms are true. A rollback, a change of a pool and a change by another server make the
 * version differ; then the pools are read again. The states of locations and zones are not a part of the rooms.
 */
export class ZonePools {
  readonly #cache = new LRUCache<string, KnownRooms>({
    maxSize: maxPools,
    // lru-cache rejects entries of size 0.
    sizeCalculation: ({ rooms }) => Math.max(1, rooms.length),
  })

  /**
   * Locks the ledger row of a zone, raises its version, and returns the pools of the zone. The caller has shared the
   * zone.
   */
  async lock(tx: Transaction, { id, name }: Pick<KnownZone, 'id' | 'name'>): Promise<LockedZone> {
    const version = await changeZoneLedger(tx, id)
    const cached = this.#cache.get(id)
    let rooms = cached?.version === version - 1 ? cached.rooms : undefined
    tx.afterCommit(() => {
      // The callback of a later transaction may run before this callback.
      const isNewer = version > (this.#cache.peek(id)?.version ?? 0)
      if (rooms && isNewer) this.#cache.set(id, { rooms, version })
    })
    return {
      rooms: async () => (rooms ??= await readRooms(tx, name)),
      changed(pool) {
        const at = rooms?.findIndex(room => room.id === pool.id) ?? -1
        const room = rooms?.[at]
        // A change of the use changes neither the cordon of the pool nor the probe result of its target.
        if (room) rooms = rooms?.with(at, { ...roomOf(pool, true), isAvailable: room.isAvailable })
      },
      forget: () => void this.#cache.delete(id),
    }
  }
}

async function readRooms(reader: Reader, zone: string): Promise<readonly PoolRoom[]> {
  const pools: StoredPool[] = []
  for await (const { value } of reader.each(poolCollection, { zone })) pools.push(value)
  const names = [...new Set(pools.map(({ deployment_target }) => deployment_target))]
  const ready = await readyTargets(reader, names)
  return pools.map(pool => roomOf(pool, ready.has(pool.deployment_target)))
}

/**
 * Returns the names of those deployment targets whose last probe has passed. A target is READY if its location is
 * ENABLED too. That location is also the location of the zone, and callers check the zone.
 */
export async function readyTargets(reader: Reader, names: readonly string[]): Promise<ReadonlySet<string>> {
  const ready = new Set<string>()
  for await (const { value } of reader.each(targetCollection, { name: names, probe: 'PASSED' })) ready.add(value.name)
  return ready
}
