import { describe, expect, it } from 'vitest'
import { assignNodes, nodeAssigner, type NodeRoom } from '../../../../../domain/topology/pools/numa.ts'
import { seeded } from '../../../../areas/random.ts'
import { naiveNodes } from '../naive-placement.ts'
import { randomNodes } from '../random-pools.ts'

/** Returns nodes with the given pairs of vcpus and memory in MiB. */
const nodes = (...pairs: readonly (readonly [vcpus: number, memory_mib: number])[]): readonly NodeRoom[] =>
  pairs.map(([vcpus, memory_mib]) => ({ vcpus, memory_mib }))

describe('the NUMA nodes of a guest', () => {
  it.each([
    ['take the lowest-numbered nodes that fit', nodes([1, 1], [4, 8], [4, 8]), nodes([2, 4]), [1]],
    ['take a node each', nodes([9, 9], [9, 9]), nodes([1, 1], [1, 1]), [0, 1]],
    ['are refused if there are more of them than host nodes', nodes([9, 9]), nodes([1, 1], [1, 1]), undefined],
    ['take turns by memory, descending', nodes([4, 8], [4, 8]), nodes([2, 4], [2, 8]), [1, 0]],
    ['take turns by vcpus where the memory is equal', nodes([4, 8], [4, 8]), nodes([1, 4], [2, 4]), [1, 0]],
    ['take turns by memory before vcpus', nodes([9, 9], [9, 9]), nodes([8, 1], [1, 2]), [1, 0]],
    ['take turns by index where all is equal', nodes([4, 8], [4, 8], [4, 8]), nodes([2, 4], [2, 4], [2, 4]), [0, 1, 2]],
    ['fit exactly', nodes([2, 4]), nodes([2, 4]), [0]],
    ['need the memory', nodes([9, 3]), nodes([2, 4]), undefined],
    ['need the vcpus', nodes([1, 9]), nodes([2, 4]), undefined],
    ['may need nothing', nodes([0, 0]), nodes([0, 0]), [0]],
    ['may be none', nodes([1, 1]), [], []],
    ['may be none on a host without nodes', [], [], []],
    ['are refused on a host without nodes', [], nodes([1, 1]), undefined],
    // The first guest node takes host node 0, although host node 1 has room. Then no host node has vcpus for the
    // second.
    ['have no second try', nodes([8, 8], [1, 8]), nodes([1, 8], [8, 4]), undefined],
    [
      'may be as large as numbers are',
      nodes([2 ** 53 - 1, 2 ** 53 - 2], [2 ** 53 - 1, 2 ** 53 - 1]),
      nodes([2 ** 53 - 1, 2 ** 53 - 1]),
      [1],
    ],
  ])('%s', (_, rooms, guest, expected) => {
    expect(assignNodes(rooms, guest)).toEqual(expected)
  })

  it('are assigned as the naive evaluator does it', () => {
    const random = seeded(3)
    const counts = { assigned: 0, refused: 0 }
    for (let round = 0; round < 20_000; round += 1) {
      const most = random.oneOf([1, 3, 8, 2 ** 53 - 1])
      const rooms = randomNodes(random, 16, most)
      const guest = randomNodes(random, 8, random.percent(50) ? most : Math.ceil(most / 2))
      const found = assignNodes(rooms, guest)
      expect(found).toEqual(naiveNodes(rooms, guest))
      counts[found ? 'assigned' : 'refused'] += 1
    }
    expect(counts.assigned).toBeGreaterThan(2000)
    expect(counts.refused).toBeGreaterThan(2000)
  })

  it('have a host node of their own that fits, whenever they are assigned', () => {
    const random = seeded(4)
    for (let round = 0; round < 5000; round += 1) {
      const [rooms, guest] = [randomNodes(random, 16, 8), randomNodes(random, 8, 6)]
      const found = assignNodes(rooms, guest) ?? []
      expect(new Set(found).size).toBe(found.length)
      for (const [i, node] of found.entries()) {
        expect(rooms[node]?.vcpus).toBeGreaterThanOrEqual(guest[i]?.vcpus ?? Infinity)
        expect(rooms[node]?.memory_mib).toBeGreaterThanOrEqual(guest[i]?.memory_mib ?? Infinity)
      }
    }
  })

  it('are assigned up to host node 31, and a host with more nodes is an error', () => {
    const full = { vcpus: 0, memory_mib: 0 }
    const rooms = [...Array.from({ length: 30 }, () => full), ...nodes([1, 1], [1, 1])]
    expect(assignNodes(rooms, nodes([1, 1], [1, 1]))).toEqual([30, 31])
    expect(assignNodes(rooms, nodes([1, 1], [1, 1], [1, 1]))).toBeUndefined()
    expect(() => assignNodes([...rooms, full], nodes([1, 1]))).toThrow('a host has 33 NUMA nodes, 32 at most')
  })

  it('and the rooms stay as they are, so that one assigner serves many hosts', () => {
    const guest = Object.freeze([...nodes([1, 2], [2, 4])])
    const rooms = Object.freeze([...nodes([4, 8], [4, 8])])
    const { assign, isAssignable } = nodeAssigner(guest)
    const first = assign(rooms)
    const reversed = assign(nodes([0, 0], [4, 8], [1, 2]))
    expect(assign(nodes([1, 1]))).toBeUndefined()
    expect(isAssignable(nodes([2, 4], [1, 1]))).toBe(false)
    expect(isAssignable(rooms)).toBe(true)
    expect([first, reversed, assign(rooms)]).toEqual([
      [1, 0],
      [2, 1],
      [1, 0],
    ])
  })
})
