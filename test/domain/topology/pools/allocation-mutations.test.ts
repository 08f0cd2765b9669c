import { expect, it, onTestFinished } from 'vitest'
import { capacityFunctions } from '../../../../domain/topology/pools/functions.ts'
import { ZonePools } from '../../../../domain/topology/pools/zone-pools.ts'
import { areas } from '../../../../server/areas.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { mutationCount, randomMutations } from '../../../areas/random-mutations.ts'
import { addRegions } from '../../../areas/regions.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { siteKinds } from '../random-kinds.ts'
import { usingArea } from '../using-area.ts'
import { randomAllocations } from './random-allocations.ts'

it(
  'allocations of two servers end as the naive placement amid random changes of sites and pools, and add up',
  { timeout: 120_000 + mutationCount * 200 },
  async () => {
    const { calls, module } = usingArea()
    const mounted = [...areas, module]
    const platform = await testPlatform({ later: onTestFinished, areas: mounted })
    const { api } = await platform.admin()
    await addRegions(api, ['wood', 'grove'])
    // Functions with a cache of their own are like another server.
    const beside = capacityFunctions(new ZonePools())
    const make = () => [...siteKinds(api), randomAllocations(calls(), topology => [topology, beside])]
    const outcomes = await randomMutations({ seed: 23, count: 2 * mutationCount, api, make })
    const keys = [...outcomes.keys()]
    for (const verb of ['create', 'update', 'delete']) expect(keys).toContain(`allocation ${verb}: DONE`)
    const refusals = ['allocation create: capacity', 'allocation create: unavailable', 'allocation update: capacity']
    const rare = ['allocation create: numa', 'allocation create: combined', 'allocation update: unallocated']
    const ofPools = ['pool delete: RESOURCE_POOL_IN_USE', 'pool update: RESOURCE_POOL_CAPACITY_IN_USE']
    expect(keys).toEqual(expect.arrayContaining([...refusals, ...(mutationCount < 2000 ? [] : [...rare, ...ofPools])]))
    expect(await doctorFindings(platform.config, mounted)).toEqual([])
  },
)
