import { beforeAll, describe, expect, it } from 'vitest'
import type { Ninefold } from '../../../output/client.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { race, raceRounds, type Racers } from '../../areas/race.ts'
import { addTenant } from '../../areas/members.ts'
import { testPlatform, type TestPlatform } from '../../areas/test-platform.ts'
import { addRegions } from '../../areas/regions.ts'
import { afterTests } from '../../undo.ts'

const engine = 'native'
const quota_definition = 'network.vpcs'

let platform: TestPlatform
let api: Ninefold
/**
 * A client of a second platform on the same PostgreSQL; on SQLite the client `api`, because only one process can open
 * the file.
 */
let other: Ninefold
let workspace: string

beforeAll(async () => {
  platform = await testPlatform({ later: afterTests })
  api = (await platform.admin()).api
  workspace = (await addTenant(api, 'acme')).workspace
  const { storeUrl } = platform.config
  other =
    storeUrl === undefined ? api : (await (await testPlatform({ config: { storeUrl }, later: afterTests })).admin()).api
})

const createVpc = (by: Ninefold, name: string, region: string) =>
  by.network.createVpc({ workspace, engine, body: { name, region, cidr_blocks: ['10.20.0.0/16'] } })

const vpc = async (name: string, region: string) => (await createVpc(api, name, region)).resource_id

const deleteVpc = (by: Ninefold, id: string, etag?: string) =>
  by.network.deleteVpc({ workspace, engine, id, ...(etag !== undefined && { etag }) })

const createLimit = (by: Ninefold, region: string, limit: number) => {
  const scope = { scope_type: 'NETWORK_SCOPE_TYPE_WORKSPACE', scope_id: workspace } as const
  return by.network.createQuotaLimit({ quota_definition, body: { ...scope, dimensions: { region }, limit } })
}

const deleteLimit = (by: Ninefold, id: string) => by.network.deleteQuotaLimit({ quota_definition, id })

async function clear(): Promise<void> {
  for await (const { id } of api.network.iterateVpcs({ workspace, engine })) await deleteVpc(api, id)
}

/** Creates a region; returns its name. */
async function newRegion(name: string): Promise<string> {
  await addRegions(api, [name])
  return name
}

interface Race {
  readonly name: string
  readonly prepare: (round: number) => Promise<Racers>
  readonly documented: readonly string[]
}

const races: readonly Race[] = [
  {
    name: 'two VPCs of one name',
    // Each round has its own region, so that both calls also race to create the bucket of the region.
    async prepare(round) {
      const region = await newRegion(`name-${round}`)
      return [api, other].map(by => () => createVpc(by, 'same', region))
    },
    documented: ['OK, VPC_ALREADY_EXISTS', 'VPC_ALREADY_EXISTS, OK'],
  },
  {
    name: 'the last place of a quota',
    async prepare(round) {
      const region = await newRegion(`place-${round}`)
      await createLimit(api, region, 1)
      return [api, other].map((by, i) => () => createVpc(by, `place-${i}`, region))
    },
    documented: ['OK, QUOTA_EXCEEDED', 'QUOTA_EXCEEDED, OK'],
  },
  {
    name: 'a deletion and an update',
    async prepare(round) {
      const id = await vpc('changed', await newRegion(`change-${round}`))
      const update = { workspace, engine, id, update_mask: 'mtu', body: { mtu: 1400 } }
      return [() => deleteVpc(api, id), () => other.network.updateVpc(update)]
    },
    documented: ['OK, OK', 'OK, VPC_NOT_FOUND'],
  },
  {
    name: 'a deletion with an etag and an update',
    async prepare(round) {
      const id = await vpc('tagged', await newRegion(`tag-${round}`))
      const { etag } = await api.network.getVpc({ workspace, engine, id })
      const update = { workspace, engine, id, update_mask: 'mtu', body: { mtu: 1400 } }
      return [() => deleteVpc(api, id, etag), () => other.network.updateVpc(update)]
    },
    documented: ['OK, VPC_NOT_FOUND', 'ETAG_MISMATCH, OK'],
  },
  {
    name: 'two deletions',
    async prepare(round) {
      const id = await vpc('deleted', await newRegion(`delete-${round}`))
      return [api, other].map(by => () => deleteVpc(by, id))
    },
    documented: ['OK, VPC_NOT_FOUND', 'VPC_NOT_FOUND, OK'],
  },
  {
    name: 'two limits of one bucket',
    prepare: async round => [api, other].map(by => () => createLimit(by, `limit-${round}`, 3)),
    documented: ['OK, QUOTA_LIMIT_ALREADY_EXISTS', 'QUOTA_LIMIT_ALREADY_EXISTS, OK'],
  },
  {
    name: 'the deletion of a limit of none and a creation',
    async prepare(round) {
      const region = await newRegion(`lifted-${round}`)
      const { resource_id: id } = await createLimit(api, region, 0)
      return [() => deleteLimit(api, id), () => createVpc(other, 'lifted', region)]
    },
    documented: ['OK, OK', 'OK, QUOTA_EXCEEDED'],
  },
  {
    name: 'the deletion of a limit and an update',
    async prepare(round) {
      const { resource_id: id } = await createLimit(api, `cut-${round}`, 3)
      const update = { quota_definition, id, body: { limit: 4 } }
      return [() => deleteLimit(api, id), () => other.network.updateQuotaLimit(update)]
    },
    documented: ['OK, OK', 'OK, QUOTA_LIMIT_NOT_FOUND'],
  },
]

describe('concurrent calls', () => {
  it.each(races)(
    '$name have documented outcomes',
    { timeout: 60_000 + raceRounds * 2000 },
    async ({ documented, prepare }) => {
      const outcomes = await race(raceRounds, prepare, clear)
      expect([...outcomes.keys()].filter(outcome => !documented.includes(outcome))).toEqual([])
      expect([...outcomes.values()].reduce((sum, count) => sum + count, 0)).toBe(raceRounds)
    },
  )

  it('the store is sound after the races', async () => {
    expect(await doctorFindings(platform.config)).toEqual([])
  })
})
