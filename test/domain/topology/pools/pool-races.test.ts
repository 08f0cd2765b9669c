import { beforeAll, describe, expect, it } from 'vitest'
import type { Ninefold } from '../../../../output/client.ts'
import type { ResourcePoolInput } from '../../../../output/topology/types.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { race, raceRounds, type Racers } from '../../../areas/race.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'
import { afterTests } from '../../../undo.ts'

type Api = Ninefold['topology']

let platform: TestPlatform
let api: Api
/**
 * A client of a second platform on the same PostgreSQL; on SQLite the client `api`, because only one process can open
 * the file.
 */
let other: Api

beforeAll(async () => {
  platform = await testPlatform({ later: afterTests })
  api = (await platform.admin()).api.topology
  const { storeUrl } = platform.config
  const beside = storeUrl === undefined ? platform : await testPlatform({ config: { storeUrl }, later: afterTests })
  other = (await beside.admin()).api.topology
  await api.createZone({ body: { name: 'beside', location: 'local' } })
})

const driver = 'TOPOLOGY_DRIVER_SIMULATED' as const
const amounts = (vcpus: number) => ({ vcpus, memory_mib: 1024, disk_gib: 10 })
const node = (vcpus: number) => ({ vcpus, memory_mib: 16 })

async function newTarget(name: string): Promise<string> {
  const capacity = { vcpus: 8, memory_mib: 16_384, disk_gib: 500 }
  const numa_nodes = [node(4), node(4)]
  await api.registerDeploymentTarget({ body: { name, location: 'local', driver, capacity, numa_nodes } })
  return name
}

const create = (by: Api, name: string, deployment_target: string, more: Partial<ResourcePoolInput> = {}) =>
  by.createResourcePool({ body: { name, zone: 'local1-a', deployment_target, capacity: amounts(6), ...more } })

/** Creates two pools of two vcpus on a new target, in different zones; returns their names. */
async function newPair(name: string): Promise<readonly [string, string]> {
  const target = await newTarget(name)
  await create(api, `${name}-1`, target, { capacity: amounts(2) })
  await create(api, `${name}-2`, target, { capacity: amounts(2), zone: 'beside' })
  return [`${name}-1`, `${name}-2`]
}

const grow = (by: Api, id: string, vcpus: number) =>
  by.updateResourcePool({ id, update_mask: 'capacity.vcpus', body: { capacity: { vcpus } } })

const shrink = (by: Api, id: string, vcpus: number) =>
  by.updateDeploymentTarget({
    id,
    update_mask: 'capacity.vcpus,numa_nodes',
    body: { capacity: { vcpus }, numa_nodes: [] },
  })

/** Sets an endpoint for a target, so that the probe of the target fails. */
const fail = (by: Api, id: string) =>
  by.updateDeploymentTarget({ id, update_mask: 'endpoint', body: { endpoint: 'https://agent.example' } })

const eitherOf = (reason: string): readonly string[] => [`OK, ${reason}`, `${reason}, OK`]

interface Race {
  readonly name: string
  readonly prepare: (round: number) => Promise<Racers>
  readonly documented: readonly string[]
  readonly after?: (outcome: string, round: number) => Promise<void>
}

const races: readonly Race[] = [
  {
    name: 'a target that shrinks and the creation of a pool',
    async prepare(round) {
      const target = await newTarget(`shrunk-${round}`)
      return [() => shrink(api, target, 4), () => create(other, target, target)]
    },
    documented: ['OK, RESOURCE_POOL_EXCEEDS_TARGET', 'DEPLOYMENT_TARGET_CAPACITY_IN_USE, OK'],
  },
  {
    name: 'a renewal that shrinks a target and the creation of a pool',
    async prepare(round) {
      const target = await newTarget(`renewed-${round}`)
      const body = { name: target, location: 'local', driver, capacity: amounts(4), numa_nodes: [] }
      return [() => api.registerDeploymentTarget({ body }), () => create(other, target, target)]
    },
    documented: ['OK, RESOURCE_POOL_EXCEEDS_TARGET', 'DEPLOYMENT_TARGET_CAPACITY_IN_USE, OK'],
  },
  {
    name: 'a target that shrinks and a pool that grows',
    async prepare(round) {
      const [pool] = await newPair(`less-${round}`)
      return [() => shrink(api, `less-${round}`, 5), () => grow(other, pool, 6)]
    },
    documented: ['OK, RESOURCE_POOL_EXCEEDS_TARGET', 'DEPLOYMENT_TARGET_CAPACITY_IN_USE, OK'],
  },
  {
    name: 'the deletion of a target and the creation of a pool',
    async prepare(round) {
      const target = await newTarget(`deleted-${round}`)
      return [() => api.deleteDeploymentTarget({ id: target }), () => create(other, target, target)]
    },
    documented: ['OK, DEPLOYMENT_TARGET_NOT_FOUND', 'DEPLOYMENT_TARGET_IN_USE, OK'],
  },
  {
    name: 'the deletion of a target and of its pool',
    async prepare(round) {
      const target = await newTarget(`both-${round}`)
      await create(api, target, target)
      return [() => api.deleteDeploymentTarget({ id: target }), () => other.deleteResourcePool({ id: target })]
    },
    documented: ['OK, OK', 'DEPLOYMENT_TARGET_IN_USE, OK'],
  },
  {
    name: 'the deletion of a zone and the creation of a pool',
    async prepare(round) {
      const target = await newTarget(`zoned-${round}`)
      await api.createZone({ body: { name: target, location: 'local' } })
      return [() => api.deleteZone({ id: target }), () => create(other, target, target, { zone: target })]
    },
    documented: ['OK, ZONE_NOT_FOUND', 'ZONE_IN_USE, OK'],
  },
  {
    name: 'two pools that do not both fit on a target',
    async prepare(round) {
      const target = await newTarget(`two-${round}`)
      return [() => create(api, `${target}-1`, target), () => create(other, `${target}-2`, target, { zone: 'beside' })]
    },
    documented: eitherOf('RESOURCE_POOL_EXCEEDS_TARGET'),
  },
  {
    name: 'two pools that do not both fit on a NUMA node',
    async prepare(round) {
      const target = await newTarget(`numa-${round}`)
      const more = { capacity: amounts(4), numa_nodes: [node(3)] }
      return [
        () => create(api, `${target}-1`, target, more),
        () => create(other, `${target}-2`, target, { ...more, zone: 'beside' }),
      ]
    },
    documented: eitherOf('NUMA_LAYOUT_INVALID'),
  },
  {
    name: 'two pools of a target that grow',
    async prepare(round) {
      const [one, two] = await newPair(`grown-${round}`)
      return [() => grow(api, one, 6), () => grow(other, two, 6)]
    },
    documented: eitherOf('RESOURCE_POOL_EXCEEDS_TARGET'),
  },
  {
    name: 'two pools of one name on two targets',
    async prepare(round) {
      const [one, two] = [await newTarget(`left-${round}`), await newTarget(`right-${round}`)]
      return [() => create(api, `named-${round}`, one), () => create(other, `named-${round}`, two)]
    },
    documented: eitherOf('RESOURCE_POOL_ALREADY_EXISTS'),
  },
  {
    name: 'the deletion of a pool and its change',
    async prepare(round) {
      const [pool] = await newPair(`changed-${round}`)
      return [() => api.deleteResourcePool({ id: pool }), () => grow(other, pool, 3)]
    },
    documented: ['OK, OK', 'OK, RESOURCE_POOL_NOT_FOUND'],
  },
  {
    name: 'the probe of a target, and pools of two zones that change',
    async prepare(round) {
      const [one, two] = await newPair(`probed-${round}`)
      return [() => fail(api, `probed-${round}`), () => grow(other, one, 3), () => grow(api, two, 3)]
    },
    documented: ['OK, OK, OK'],
    async after(_, round) {
      const { state } = await api.getResourcePool({ id: `probed-${round}-1` })
      expect(state).toBe('TOPOLOGY_RESOURCE_POOL_STATE_UNAVAILABLE')
    },
  },
  {
    name: 'the probes of two targets with pools in the same zones',
    async prepare(round) {
      for (const side of ['a', 'b']) await newPair(`side-${side}-${round}`)
      return [() => fail(api, `side-a-${round}`), () => fail(other, `side-b-${round}`)]
    },
    documented: ['OK, OK'],
  },
  {
    name: 'the cordon of a zone and the change of its pool',
    async prepare(round) {
      const [, pool] = await newPair(`shut-${round}`)
      const cordon = { id: 'beside', update_mask: 'schedulable', body: { schedulable: round % 2 === 0 } }
      return [() => api.updateZone(cordon), () => grow(other, pool, 3)]
    },
    documented: ['OK, OK'],
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

  it('nothing is wrong after all that', async () => {
    expect(await doctorFindings(platform.config)).toEqual([])
  })
})
