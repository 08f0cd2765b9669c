import { beforeAll, describe, expect, it } from 'vitest'
import type { Ninefold } from '../../../output/client.ts'
import { areas } from '../../../server/areas.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { race, raceRounds, type Racers } from '../../areas/race.ts'
import { testPlatform, type TestPlatform } from '../../areas/test-platform.ts'
import { usingArea, type Using } from './using-area.ts'
import { afterTests } from '../../undo.ts'

let platform: TestPlatform
let api: Ninefold['topology']
/**
 * A client of a second platform on the same PostgreSQL; on SQLite the client `api`, because only one process can open
 * the file.
 */
let other: Ninefold['topology']
/** The calls of an area that uses topology on the platform of `other`. */
let using: Using

beforeAll(async () => {
  const [first, second] = [usingArea(), usingArea()]
  platform = await testPlatform({ later: afterTests, areas: [...areas, first.module] })
  api = (await platform.admin()).api.topology
  const { storeUrl } = platform.config
  if (storeUrl === undefined) [other, using] = [api, first.calls()]
  else {
    const beside = await testPlatform({ config: { storeUrl }, later: afterTests, areas: [...areas, second.module] })
    other = (await beside.admin()).api.topology
    using = second.calls()
  }
  await api.registerDeploymentTarget({ body: target('spare', 'spare') })
  await api.approveLocation({ id: 'spare', body: { region: 'spare1' } })
  await api.registerDeploymentTarget({ body: target('third', 'third') })
  await api.approveLocation({ id: 'third', body: { region: 'third1' } })
})

const driver = 'TOPOLOGY_DRIVER_SIMULATED'
const capacity = { vcpus: 8, memory_mib: 16_384, disk_gib: 500 }
const target = (name: string, location: string) => ({ name, location, driver, capacity }) as const

type Api = Ninefold['topology']

const register = (by: Api, name: string, location: string) =>
  by.registerDeploymentTarget({ body: target(name, location) })

const approve = (by: Api, id: string, region: string) => by.approveLocation({ id, body: { region } })

async function newLocation(name: string): Promise<string> {
  await register(api, name, name)
  return name
}

async function newZone(name: string): Promise<string> {
  await api.createZone({ body: { name, location: 'local' } })
  return name
}

const both = (call: (by: Api) => Promise<unknown>): Racers => [() => call(api), () => call(other)]

interface Race {
  readonly name: string
  readonly prepare: (round: number) => Promise<Racers>
  readonly documented: readonly string[]
  readonly after?: (outcome: string, round: number) => Promise<void>
}

const races: readonly Race[] = [
  {
    name: 'two first registrations of a target',
    prepare: async round => both(by => register(by, `host-${round}`, `site-${round}`)),
    documented: ['OK, OK'],
    async after(_, round) {
      expect(await api.getLocation({ id: `site-${round}` })).toMatchObject({ deployment_target_count: 1 })
    },
  },
  {
    name: 'the first registrations of two targets at a location',
    prepare: async round => [
      () => register(api, `one-${round}`, `shared-${round}`),
      () => register(other, `two-${round}`, `shared-${round}`),
    ],
    documented: ['OK, OK'],
    async after(_, round) {
      expect(await api.getLocation({ id: `shared-${round}` })).toMatchObject({ deployment_target_count: 2 })
    },
  },
  {
    name: 'registrations of a name at two locations',
    prepare: async round => [
      () => register(api, `moved-${round}`, `here-${round}`),
      () => register(other, `moved-${round}`, `there-${round}`),
    ],
    documented: ['OK, DEPLOYMENT_TARGET_ALREADY_EXISTS', 'DEPLOYMENT_TARGET_ALREADY_EXISTS, OK'],
  },
  {
    name: 'two approvals of a location',
    async prepare(round) {
      const id = await newLocation(`approved-${round}`)
      return [() => approve(api, id, `left-${round}`), () => approve(other, id, `right-${round}`)]
    },
    documented: ['OK, LOCATION_ALREADY_APPROVED', 'LOCATION_ALREADY_APPROVED, OK'],
  },
  {
    name: 'the first approvals of two locations into a region',
    async prepare(round) {
      const [one, two] = [await newLocation(`first-${round}`), await newLocation(`second-${round}`)]
      return [() => approve(api, one, `joint-${round}`), () => approve(other, two, `joint-${round}`)]
    },
    documented: ['OK, OK'],
    async after(_, round) {
      const { locations } = await api.getRegion({ id: `joint-${round}` })
      expect(locations).toEqual([`first-${round}`, `second-${round}`])
    },
  },
  {
    name: 'an approval and the creation of a zone',
    async prepare(round) {
      const location = await newLocation(`pending-${round}`)
      return [
        () => approve(api, location, `pending-${round}`),
        () => other.createZone({ body: { name: `pending-${round}`, location } }),
      ]
    },
    documented: ['OK, OK', 'OK, LOCATION_NOT_APPROVED'],
  },
  {
    name: 'a location that is disabled and the creation of a zone',
    async prepare(round) {
      const body = { name: `cordoned-${round}`, location: 'spare' }
      return [() => api.disableLocation({ id: 'spare', body: {} }), () => other.createZone({ body })]
    },
    documented: ['OK, OK'],
    async after(_, round) {
      expect(await api.getZone({ id: `cordoned-${round}` })).toMatchObject({ state: 'TOPOLOGY_ZONE_STATE_UNAVAILABLE' })
      await api.enableLocation({ id: 'spare', body: {} })
    },
  },
  {
    name: 'a location that is disabled and enabled',
    prepare: async () => [
      () => api.disableLocation({ id: 'spare', body: {} }),
      () => other.enableLocation({ id: 'spare', body: {} }),
    ],
    documented: ['OK, OK', 'OK, LOCATION_STATE_INVALID'],
    async after(outcome) {
      if (outcome !== 'OK, OK') await api.enableLocation({ id: 'spare', body: {} })
    },
  },
  {
    name: 'a location that is disabled twice',
    prepare: async () => both(by => by.disableLocation({ id: 'spare', body: {} })),
    documented: ['OK, LOCATION_STATE_INVALID', 'LOCATION_STATE_INVALID, OK'],
    after: async () => void (await api.enableLocation({ id: 'spare', body: {} })),
  },
  {
    name: 'two zones of one name',
    prepare: async round => both(by => by.createZone({ body: { name: `same-${round}`, location: 'local' } })),
    documented: ['OK, ZONE_ALREADY_EXISTS', 'ZONE_ALREADY_EXISTS, OK'],
  },
  {
    name: 'the deletion of a zone and its use',
    async prepare(round) {
      const id = await newZone(`used-${round}`)
      return [() => api.deleteZone({ id }), () => using.useZone(id)]
    },
    documented: ['OK, ZONE_ABSENT', 'ZONE_IN_USE, OK'],
    after: () => using.release(),
  },
  {
    name: 'the cordon of a zone and its use',
    async prepare(round) {
      const id = await newZone(`shut-${round}`)
      const cordon = { id, update_mask: 'schedulable', body: { schedulable: false } }
      return [() => api.updateZone(cordon), () => using.useZone(id)]
    },
    documented: ['OK, OK', 'OK, ZONE_SHUT'],
    after: () => using.release(),
  },
  {
    name: 'the deletion of a multi-region and its use',
    async prepare(round) {
      const id = `set-${round}`
      await api.createMultiRegion({ body: { name: id, regions: ['local1', 'spare1'] } })
      return [() => api.deleteMultiRegion({ id }), () => using.useMultiRegion(id)]
    },
    documented: ['OK, MULTI_REGION_ABSENT', 'MULTI_REGION_IN_USE, OK'],
    after: () => using.release(),
  },
  {
    name: 'a region that leaves a multi-region and its use',
    async prepare(round) {
      const id = `less-${round}`
      await api.createMultiRegion({ body: { name: id, regions: ['local1', 'spare1', 'third1'] } })
      const change = { id, update_mask: 'regions', body: { regions: ['local1', 'spare1'] } }
      return [() => api.updateMultiRegion(change), () => using.useMultiRegion(id)]
    },
    documented: ['OK, OK', 'MULTI_REGION_IN_USE, OK'],
    after: () => using.release(),
  },
  {
    name: 'the deletion of a target and its renewal',
    async prepare(round) {
      const id = `left-${round}`
      await register(api, id, 'local')
      return [() => api.deleteDeploymentTarget({ id }), () => register(other, id, 'local')]
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
      expect([...outcomes.values()].reduce((sum, count) => sum + count, 0)).toBe(raceRounds)
    },
  )

  it('nothing is wrong after all that', async () => {
    expect(await doctorFindings(platform.config)).toEqual([])
  })
})
