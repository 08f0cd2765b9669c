import { beforeAll, describe, expect, it } from 'vitest'
import type { CapacityNeed, Topology } from '../../../../domain/ports/topology.ts'
import type { Ninefold } from '../../../../output/client.ts'
import { ApiError } from '../../../../runtime/errors.ts'
import { areas } from '../../../../server/areas.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { race, raceRounds, type Racers } from '../../../areas/race.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'
import { consumerOf, usingArea, type Using } from '../using-area.ts'
import { afterTests } from '../../../undo.ts'

let platform: TestPlatform
let api: Ninefold['topology']
/**
 * The calls of an area that uses topology on the first server. `beside` has the calls on a second server over the same
 * PostgreSQL; on SQLite the same calls, because only one process can open the file.
 */
let using: Using
let beside: Using

const [first, second] = [usingArea(), usingArea()]
const mounted = [...areas, first.module]

beforeAll(async () => {
  platform = await testPlatform({ later: afterTests, areas: mounted })
  api = (await platform.admin()).api.topology
  using = beside = first.calls()
  const { storeUrl } = platform.config
  if (storeUrl === undefined) return
  await testPlatform({ config: { storeUrl }, later: afterTests, areas: [...areas, second.module] })
  beside = second.calls()
})

const amounts = (vcpus: number): CapacityNeed => ({ vcpus, memory_mib: vcpus, disk_gib: vcpus })
const capacity = amounts(8)
const numa_nodes = [{ vcpus: 4, memory_mib: 8 }]
/** A need with a NUMA node of its own. */
const pinned: CapacityNeed = { ...amounts(3), numa: [{ vcpus: 3, memory_mib: 3 }] }

/** Creates a zone with a target and a pool of 8 vcpus, all with the given name; returns the name. */
async function newZone(name: string): Promise<string> {
  const driver = 'TOPOLOGY_DRIVER_SIMULATED'
  await api.registerDeploymentTarget({ body: { name, location: 'local', driver, capacity, numa_nodes } })
  await api.createZone({ body: { name, location: 'local' } })
  await api.createResourcePool({ body: { name, zone: name, deployment_target: name, capacity, numa_nodes } })
  return name
}

/** Throws an `ApiError` whose reason is the kind of the outcome, unless the capacity was allocated. */
async function took(call: ReturnType<Topology['allocate' | 'resize' | 'reallocate']>): Promise<void> {
  const { kind } = await call
  if (kind !== 'allocated') throw new ApiError({ reason: kind, rpc: 'FAILED_PRECONDITION' }, kind)
}

const allocate = (by: Using, zone: string, vcpus: number, thing: string) =>
  took(by.allocate(zone, amounts(vcpus), `${zone}-${thing}`))

const update = (id: string, body: object) => api.updateResourcePool({ id, update_mask: Object.keys(body).join(), body })

async function allocatedIn(pool: string): Promise<number> {
  return (await api.getResourcePool({ id: pool })).allocated.vcpus
}

interface Race {
  readonly name: string
  readonly prepare: (round: number) => Promise<Racers>
  readonly documented: readonly string[]
  readonly after?: (outcome: string, round: number) => Promise<void>
}

const races: readonly Race[] = [
  {
    name: 'two allocations of the last vcpu',
    async prepare(round) {
      const zone = await newZone(`last-${round}`)
      await allocate(using, zone, 7, 'first')
      return [() => allocate(using, zone, 1, 'a'), () => allocate(beside, zone, 1, 'b')]
    },
    documented: ['OK, capacity', 'capacity, OK'],
    after: async (_, round) => expect(await allocatedIn(`last-${round}`)).toBe(8),
  },
  {
    name: 'the first two allocations in a zone',
    async prepare(round) {
      const zone = await newZone(`new-${round}`)
      return [() => allocate(using, zone, 1, 'a'), () => allocate(beside, zone, 1, 'b')]
    },
    documented: ['OK, OK'],
    after: async (_, round) => expect(await allocatedIn(`new-${round}`)).toBe(2),
  },
  {
    name: 'two guests for the last NUMA node',
    async prepare(round) {
      const zone = await newZone(`node-${round}`)
      return [
        () => took(using.allocate(zone, pinned, `${zone}-a`)),
        () => took(beside.allocate(zone, pinned, `${zone}-b`)),
      ]
    },
    documented: ['OK, numa', 'numa, OK'],
  },
  {
    name: 'the cordon of a pool and an allocation',
    async prepare(round) {
      const zone = await newZone(`cordon-${round}`)
      return [() => update(zone, { schedulable: false }), () => allocate(beside, zone, 1, 'a')]
    },
    documented: ['OK, OK', 'OK, capacity'],
    async after(outcome, round) {
      expect(await allocatedIn(`cordon-${round}`)).toBe(outcome === 'OK, OK' ? 1 : 0)
      expect((await using.allocate(`cordon-${round}`, amounts(1), `late-${round}`)).kind).toBe('capacity')
    },
  },
  {
    name: 'the cordon of a zone and an allocation',
    async prepare(round) {
      const id = await newZone(`shut-${round}`)
      const cordon = { id, update_mask: 'schedulable', body: { schedulable: false } }
      return [() => api.updateZone(cordon), () => allocate(beside, id, 1, 'a')]
    },
    documented: ['OK, OK', 'OK, unavailable'],
  },
  {
    name: 'a failed probe and an allocation',
    async prepare(round) {
      const id = await newZone(`probe-${round}`)
      const fail = { id, update_mask: 'endpoint', body: { endpoint: 'https://agent.example' } }
      return [() => api.updateDeploymentTarget(fail), () => allocate(beside, id, 1, 'a')]
    },
    documented: ['OK, OK', 'OK, capacity'],
    async after(_, round) {
      expect((await using.allocate(`probe-${round}`, amounts(1), `last-${round}`)).kind).toBe('capacity')
    },
  },
  {
    name: 'a pool that shrinks and an allocation',
    async prepare(round) {
      const zone = await newZone(`shrink-${round}`)
      return [() => update(zone, { reserved: amounts(4) }), () => allocate(beside, zone, 6, 'a')]
    },
    documented: ['OK, capacity', 'RESOURCE_POOL_CAPACITY_IN_USE, OK'],
  },
  {
    name: 'a NUMA node that goes and a guest',
    async prepare(round) {
      const zone = await newZone(`layout-${round}`)
      return [() => update(zone, { numa_nodes: [] }), () => took(beside.allocate(zone, pinned, `${zone}-a`))]
    },
    documented: ['OK, numa', 'RESOURCE_POOL_CAPACITY_IN_USE, OK'],
  },
  {
    name: 'the deletion of a pool and an allocation',
    async prepare(round) {
      const zone = await newZone(`delete-${round}`)
      return [() => api.deleteResourcePool({ id: zone }), () => allocate(beside, zone, 1, 'a')]
    },
    documented: ['OK, capacity', 'RESOURCE_POOL_IN_USE, OK'],
  },
  {
    name: 'the deletion of a pool and a release',
    async prepare(round) {
      const zone = await newZone(`free-${round}`)
      await allocate(using, zone, 1, 'a')
      return [() => api.deleteResourcePool({ id: zone }), () => beside.giveBack(`${zone}-a`)]
    },
    documented: ['OK, OK', 'RESOURCE_POOL_IN_USE, OK'],
  },
  {
    name: 'a pool that changes and a release',
    async prepare(round) {
      const zone = await newZone(`both-${round}`)
      await allocate(using, zone, 1, 'a')
      return [() => update(zone, { overcommit: { vcpus: 2 } }), () => beside.giveBack(`${zone}-a`)]
    },
    documented: ['OK, OK'],
    async after(_, round) {
      expect(await api.getResourcePool({ id: `both-${round}` })).toMatchObject({ available: { vcpus: 16 } })
    },
  },
  {
    name: 'two releases of an allocation, and an allocation of its capacity',
    async prepare(round) {
      const zone = await newZone(`twice-${round}`)
      await allocate(using, zone, 8, 'a')
      return [
        () => using.giveBack(`${zone}-a`),
        () => beside.giveBack(`${zone}-a`),
        () => allocate(beside, zone, 8, 'b'),
      ]
    },
    documented: ['OK, OK, OK', 'OK, OK, capacity'],
    async after(outcome, round) {
      expect(await allocatedIn(`twice-${round}`)).toBe(outcome === 'OK, OK, OK' ? 8 : 0)
    },
  },
  {
    name: 'a growth and an allocation of the last vcpus',
    async prepare(round) {
      const zone = await newZone(`grow-${round}`)
      await allocate(using, zone, 4, 'a')
      return [() => took(using.resize(`${zone}-a`, amounts(8))), () => allocate(beside, zone, 1, 'b')]
    },
    documented: ['OK, capacity', 'capacity, OK'],
  },
  {
    name: 'a resize and a release',
    async prepare(round) {
      const zone = await newZone(`resize-${round}`)
      await allocate(using, zone, 4, 'a')
      return [() => took(using.resize(`${zone}-a`, amounts(8))), () => beside.giveBack(`${zone}-a`)]
    },
    documented: ['OK, OK', 'unallocated, OK'],
    after: async (_, round) => expect(await allocatedIn(`resize-${round}`)).toBe(0),
  },
  {
    name: 'a start and the cordon of its location',
    async prepare(round) {
      const zone = await newZone(`start-${round}`)
      await allocate(using, zone, 1, 'a')
      await api.enableLocation({ id: 'local', body: {} }).catch(() => {})
      return [
        () => took(using.reallocate(`${zone}-a`, amounts(2))),
        () => api.disableLocation({ id: 'local', body: {} }),
      ]
    },
    documented: ['OK, OK', 'unavailable, OK'],
    after: async () => void (await api.enableLocation({ id: 'local', body: {} })),
  },
  {
    name: 'a release, and a release with an allocation in another zone',
    async prepare(round) {
      const [one, two] = [await newZone(`from-${round}`), await newZone(`to-${round}`)]
      const thing = `moved-${round}`
      await took(using.allocate(one, amounts(2), thing))
      return [
        () => using.giveBack(thing),
        async () => {
          await beside.giveBack(thing)
          await took(beside.allocate(two, amounts(3), thing))
        },
      ]
    },
    documented: ['OK, OK'],
    after: async (_, round) => expect(await allocatedIn(`from-${round}`)).toBe(0),
  },
  {
    name: 'allocations of one consumer in two zones',
    async prepare(round) {
      const [one, two] = [await newZone(`here-${round}`), await newZone(`there-${round}`)]
      const once = (by: Using, zone: string) => async () => {
        await took(by.allocate(zone, amounts(1), `once-${round}`)).catch((error: unknown) => {
          throw error instanceof ApiError ? error : new ApiError({ reason: 'HELD', rpc: 'INTERNAL' }, String(error))
        })
      }
      return [once(using, one), once(beside, two)]
    },
    documented: ['OK, HELD', 'HELD, OK'],
  },
]

describe('at once', () => {
  it.each(races)(
    '$name end as documented',
    { timeout: 60_000 + raceRounds * 2000 },
    async ({ after, documented, prepare }) => {
      const outcomes = await race(raceRounds, prepare, after)
      expect([...outcomes.keys()].filter(outcome => !documented.includes(outcome))).toEqual([])
    },
  )

  it('many allocations, resizes and releases of one zone add up', { timeout: 60_000 + raceRounds * 2000 }, async () => {
    const zone = await newZone('crowd')
    for (let round = 0; round < raceRounds; round += 1) {
      const things = Array.from({ length: 6 }, (_, i) => `crowd-${round % 3}-${i}`)
      await Promise.all(
        things.map(async (thing, i) => {
          const by = i % 2 === 0 ? using : beside
          await by.allocate(zone, amounts(1 + (i % 3)), thing)
          await by.resize(thing, amounts(i % 4))
          await (i % 2 === 0 ? beside : using).giveBack(thing)
        }),
      )
    }
    expect(await api.getResourcePool({ id: zone })).toMatchObject({ allocation_count: 0, allocated: amounts(0) })
  })

  it('nothing is wrong after all that', async () => {
    expect(await using.within((tx, topology) => topology.release(tx, consumerOf('none')))).toBeUndefined()
    expect(await doctorFindings(platform.config, mounted)).toEqual([])
  })
})
