/** The amounts that a NUMA node of a host has left, or that a NUMA node of a guest needs. */
export interface NodeRoom {
  readonly vcpus: number
  readonly memory_mib: number
}

/** Assigns the NUMA nodes of one guest to the NUMA nodes of a host, for one host after another. */
export interface NodeAssigner {
  /** Returns whether the guest fits, in less time than `assign`, because no list is made. */
  readonly isAssignable: (rooms: readonly NodeRoom[]) => boolean
  /** Returns the numbers of the host nodes as `assignNodes` does. */
  readonly assign: (rooms: readonly NodeRoom[]) => readonly number[] | undefined
}

/**
 * Returns the number of the host node for each guest node, in the order of the guest; undefined if the guest does not
 * fit (topology.md 4, NUMA). `rooms` are the host nodes from number 0: the capacity less the pinned use. Guest nodes
 * are placed in descending order of memory, then of vcpus, and then in the order of the guest. Each guest node gets the
 * host node with the lowest number that is unused and large enough. The search is greedy: it may refuse a guest that
 * another assignment would fit. Throws RangeError for more than 32 host nodes.
 */
export const assignNodes = (rooms: readonly NodeRoom[], guest: readonly NodeRoom[]): readonly number[] | undefined =>
  nodeAssigner(guest).assign(rooms)

/** The maximal number of host nodes: a bitwise operation has 32 bits. The interface allows 16 nodes. */
const mostNodes = 32

/** Returns the assigner of a guest, which sorts the nodes of the guest once. */
export function nodeAssigner(guest: readonly NodeRoom[]): NodeAssigner {
  const turns = turnsOf(guest)
  // No guest node needs less, so most hosts that are too small are refused without a search.
  const smallest = {
    vcpus: Math.min(...guest.map(({ vcpus }) => vcpus)),
    memory_mib: Math.min(...guest.map(({ memory_mib }) => memory_mib)),
  }
  // The assignment to the last host. A new list for each host would take more time than the search.
  const assigned = guest.map(() => -1)

  function isAssignable(rooms: readonly NodeRoom[]): boolean {
    if (rooms.length > mostNodes) throw new RangeError(`a host has ${rooms.length} NUMA nodes, ${mostNodes} at most`)
    if (!hasFitting(rooms, smallest, turns.length)) return false
    // Bit i is set if host node i is used. A set or a list would make placement over a zone several times as slow.
    let used = 0
    let node = -1
    for (const { index, isRepeated, memory_mib, vcpus } of turns) {
      // The host nodes before are used, or are too small for an equal guest node.
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

/** Returns whether a guest node fits into at least `count` of the host nodes. */
function hasFitting(rooms: readonly NodeRoom[], { memory_mib, vcpus }: NodeRoom, count: number): boolean {
  let spare = rooms.length - count
  for (let node = 0; node < rooms.length && spare >= 0; node += 1) {
    const room = rooms[node]
    if (!room || memory_mib > room.memory_mib || vcpus > room.vcpus) spare -= 1
  }
  return spare >= 0
}

/** A guest node, in a list in the order of placement. */
interface Turn extends NodeRoom {
  /** The index of the node in the guest. */
  readonly index: number
  /** Whether the guest node that is placed directly before has the same needs. */
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
