import { expect, it, onTestFinished } from 'vitest'
import { capacityFunctions } from '../../../../domain/topology/pools/functions.ts'
import { ZonePools } from '../../../../domain/topology/pools/zone-pools.ts'
import type { Ninefold } from '../../../../output/client.ts'
import { areas } from '../../../../server/areas.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { mutationCount, randomMutations } from '../../../areas/random-mutations.ts'
import { addRegions } from '../../../areas/regions.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { siteKinds } from '../random-kinds.ts'
import { usingArea } from '../using-area.ts'
import { randomAllocations } from './random-allocations.ts'

/** Deletes the first pool and reduces the capacity of the first target, so that allocations exhaust the capacity. */
async function withLittleRoom(topology: Ninefold['topology']): Promise<void> {
  await topology.deleteResourcePool({ id: 'local1-a-default' })
  const body = { capacity: { vcpus: 24, memory_mib: 3000, disk_gib: 10 }, numa_nodes: [] }
  await topology.updateDeploymentTarget({ id: 'local-sim', update_mask: 'capacity,numa_nodes', body })
}

it(
  'allocations of two servers end as the naive placement amid random changes of sites and pools, and add up',
  { timeout: 120_000 + mutationCount * 200 },
  async () => {
    const { calls, module } = usingArea()
    const mounted = [...areas, module]
    const platform = await testPlatform({ later: onTestFinished, areas: mounted })
    const { api } = await platform.admin()
    await addRegions(api, ['wood', 'grove'])
    await withLittleRoom(api.topology)
    // Functions with a cache of their own behave as the functions of another server.
    const beside = capacityFunctions(new ZonePools())
    // Most sites stay open, so that pools are in use.
    const sites = siteKinds(api).map(kind => ({ ...kind, weight: kind.name === 'pool' ? 10 : 2 }))
    const make = () => [...sites, randomAllocations(calls(), topology => [topology, beside])]
    const outcomes = await randomMutations({ seed: 23, count: 2 * mutationCount, api, make })
    const keys = [...outcomes.keys()]
    for (const verb of ['create', 'update', 'delete']) expect(keys).toContain(`allocation ${verb}: DONE`)
    const refusals = ['allocation create: capacity', 'allocation create: unavailable', 'allocation update: capacity']
    const rare = ['allocation create: numa', 'allocation update: unallocated', 'pool delete: RESOURCE_POOL_IN_USE']
    expect(keys).toEqual(expect.arrayContaining([...refusals, ...(mutationCount < 2000 ? [] : rare)]))
    expect(await doctorFindings(platform.config, mounted)).toEqual([])
  },
)
