/** What a NUMA node of a host has left, or what a NUMA node of a guest needs. */
export interface NodeRoom {
  readonly vcpus: number
  readonly memory_mib: number
}

/** Assigns the nodes of one guest to the nodes of many hosts. */
export interface NodeAssigner {
  /** Tells whether `assign` returns numbers, in less time than it takes. */
  readonly isAssignable: (rooms: readonly NodeRoom[]) => boolean
  /** As `assignNodes`. */
  readonly assign: (rooms: readonly NodeRoom[]) => readonly number[] | undefined
}

/**
 * Returns the number of the host node of each guest node, in the order of the guest, or undefined if the guest does not
 * fit (topology.md 4, NUMA). `rooms` are the nodes of the host from 0: capacity less what is pinned to them. The guest
 * nodes take turns by memory, then vcpus, both descending, then index, and each takes the unused host node of the lowest
 * number that fits. The search is greedy: a guest that another assignment would fit may be refused. Throws RangeError
 * for more than 32 host nodes.
 */
export const assignNodes = (rooms: readonly NodeRoom[], guest: readonly NodeRoom[]): readonly number[] | undefined =>
  nodeAssigner(guest).assign(rooms)

/** The bits of the integers of bitwise operations. The interface allows 16 nodes. */
const mostNodes = 32

/** Returns the assigner of a guest, which sorts the nodes of the guest once. */
export function nodeAssigner(guest: readonly NodeRoom[]): NodeAssigner {
  const turns = turnsOf(guest)
  // No node of the guest needs less: most hosts that are too small are refused without a search.
  const smallest = {
    vcpus: Math.min(...guest.map(({ vcpus }) => vcpus)),
    memory_mib: Math.min(...guest.map(({ memory_mib }) => memory_mib)),
  }
  // The numbers for the last host; a list for each host would take more time than the search.
  const assigned = guest.map(() => -1)

  function isAssignable(rooms: readonly NodeRoom[]): boolean {
    if (rooms.length > mostNodes) throw new RangeError(`a host has ${rooms.length} NUMA nodes, ${mostNodes} at most`)
    if (!hasFitting(rooms, smallest, turns.length)) return false
    // Bit i is set if node i is used: a set or a list makes placement over a zone several times as slow.
    let used = 0
    let node = -1
    for (const { index, isRepeated, memory_mib, vcpus } of turns) {
      // A node that did not fit an equal need does not fit this one.
      node = isRepeated ? node + 1 : 0
      for (; node < rooms.length; node += 1) {
        const room = rooms[node]
        if (room && memory_mib <= room.memory_mib && vcpus <= room.vcpus && (used & (1 << node)) === 0) break
      }
      if (node === rooms.length) return false
      used |= 1 << node
      assigned[index] = node
    }
    return true
  }

  return { isAssignable, assign: rooms => (isAssignable(rooms) ? [...assigned] : undefined) }
}

/** Tells whether a guest node fits into so many of the host nodes. */
function hasFitting(rooms: readonly NodeRoom[], { memory_mib, vcpus }: NodeRoom, count: number): boolean {
  let spare = rooms.length - count
  for (let node = 0; node < rooms.length && spare >= 0; node += 1) {
    const room = rooms[node]
    if (!room || memory_mib > room.memory_mib || vcpus > room.vcpus) spare -= 1
  }
  return spare >= 0
}

/** A guest node in its turn. */
interface Turn extends NodeRoom {
  /** The index in the guest. */
  readonly index: number
  /** Whether the turn before needs the same. */
  readonly isRepeated: boolean
}

function turnsOf(guest: readonly NodeRoom[]): readonly Turn[] {
  // Sorting is stable, so that equal nodes stay in the order of their indexes.
  const sorted = guest
    .map(({ memory_mib, vcpus }, index) => ({ vcpus, memory_mib, index }))
    .sort((one, other) => other.memory_mib - one.memory_mib || other.vcpus - one.vcpus)
  return sorted.map((node, i) => {
    const before = sorted[i - 1]
    return { ...node, isRepeated: before?.vcpus === node.vcpus && before.memory_mib === node.memory_mib }
  })
}
