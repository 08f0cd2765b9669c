/** What a NUMA node of a host has left, or what a NUMA node of a guest needs. */
export interface NodeRoom {
  readonly vcpus: number
  readonly memory_mib: number
}

/** Assigns the nodes of one guest to the nodes of a host, as `assignNodes` does. */
export type NodeAssigner = (rooms: readonly NodeRoom[]) => readonly number[] | undefined

/**
 * Returns the number of the host node of each guest node, in the order of the guest, or undefined if the guest does not
 * fit (topology.md 4, NUMA). `rooms` are the nodes of the host from 0: capacity less what is pinned to them. The guest
 * nodes take turns by memory, then vcpus, both descending, then index, and each takes the unused host node of the lowest
 * number that fits. The search is greedy: a guest that another assignment would fit may be refused.
 */
export const assignNodes = (rooms: readonly NodeRoom[], guest: readonly NodeRoom[]): readonly number[] | undefined =>
  nodeAssigner(guest)(rooms)

/** Returns the assigner of a guest, which sorts the nodes of the guest once for many hosts. */
export function nodeAssigner(guest: readonly NodeRoom[]): NodeAssigner {
  const turns = guest
    .map((need, index) => ({ need, index }))
    // Sorting is stable, so that equal nodes stay in the order of their indexes.
    .sort((one, other) => other.need.memory_mib - one.need.memory_mib || other.need.vcpus - one.need.vcpus)
  return rooms => {
    if (rooms.length < guest.length) return undefined
    const isUsed = rooms.map(() => false)
    const assigned = guest.map(() => -1)
    for (const { index, need } of turns) {
      const node = rooms.findIndex((room, number) => isUsed[number] === false && hasRoom(room, need))
      if (node < 0) return undefined
      isUsed[node] = true
      assigned[index] = node
    }
    return assigned
  }
}

const hasRoom = (room: NodeRoom, need: NodeRoom): boolean =>
  need.memory_mib <= room.memory_mib && need.vcpus <= room.vcpus
