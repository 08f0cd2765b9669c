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
 * number that fits. The search is greedy: a guest that another assignment would fit may be refused.
 */
export const assignNodes = (rooms: readonly NodeRoom[], guest: readonly NodeRoom[]): readonly number[] | undefined =>
  nodeAssigner(guest).assign(rooms)

/** Returns the assigner of a guest, which sorts the nodes of the guest once. */
export function nodeAssigner(guest: readonly NodeRoom[]): NodeAssigner {
  const turns = turnsOf(guest)
  // The nodes of the last host that was asked by the index of the guest node, and its marks: a node is used if its mark is
  // the number of the host. Both lists serve all hosts, because new ones would take more time than the search.
  const assigned = guest.map(() => -1)
  const marks: number[] = []
  let host = 0

  function isAssignable(rooms: readonly NodeRoom[]): boolean {
    if (rooms.length < turns.length) return false
    host += 1
    let node = -1
    for (const turn of turns) {
      // A node that did not fit an equal need does not fit this one.
      node = turn.isRepeated ? node + 1 : 0
      while (node < rooms.length && (marks[node] === host || !hasRoom(rooms[node], turn))) node += 1
      if (node === rooms.length) return false
      marks[node] = host
      assigned[turn.index] = node
    }
    return true
  }

  return { isAssignable, assign: rooms => (isAssignable(rooms) ? [...assigned] : undefined) }
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

const hasRoom = (room: NodeRoom | undefined, need: NodeRoom): boolean =>
  room !== undefined && need.memory_mib <= room.memory_mib && need.vcpus <= room.vcpus
