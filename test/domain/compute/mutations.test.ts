import { expect, it } from 'vitest'
import type { Reader } from '../../../domain/ports/store.ts'
import { areas } from '../../../server/areas.ts'
import { works } from '../../../server/operations/work.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { mutationCount, randomMutations } from '../../areas/random-mutations.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { vmKinds } from './random-vms.ts'
import { tenantVms } from './tenant-vms.ts'

/** Returns the kinds of the unfinished work on machines. */
async function workOn(store: Reader): Promise<readonly string[]> {
  const kinds: string[] = []
  for await (const { value } of store.each(works)) if (value.kind.startsWith('compute.')) kinds.push(value.kind)
  return kinds
}

it(
  'after random mutations the doctor finds nothing, meanwhile and in the end',
  { timeout: 180_000 + mutationCount * 200 },
  async () => {
    const { api, organisation, platform, subnet, workspace } = await tenantVms(0.005)
    const { vpc_id } = await api.network.getSubnet({ workspace, engine: 'native', id: subnet })
    const narrow = { name: 'narrow', vpc_id, cidr_block: '10.20.2.0/28' }
    const { resource_id } = await api.network.createSubnet({ workspace, engine: 'native', body: narrow })
    await api.topology.createZone({ body: { name: 'local1-b', location: 'local' } })
    const target = { name: 'small', location: 'local', driver: 'TOPOLOGY_DRIVER_SIMULATED' } as const
    const capacity = { vcpus: 12, memory_mib: 4096, disk_gib: 40 }
    const half = { vcpus: 6, memory_mib: 2048 }
    await api.topology.registerDeploymentTarget({ body: { ...target, capacity, numa_nodes: [half, half] } })
    const pool = { name: 'small', zone: 'local1-b', deployment_target: 'small', capacity, numa_nodes: [half, half] }
    await api.topology.createResourcePool({ body: pool })
    const place = { organisation, workspace, subnets: [subnet, resource_id], zones: ['local1-a', 'local1-b'] }
    const parts = 5
    const outcomes = new Set<string>()
    for (let part = 0; part < parts; part += 1) {
      const run = { seed: 18 + part, count: mutationCount / parts, api, make: () => vmKinds(api, place) }
      for (const [outcome] of await randomMutations(run)) outcomes.add(outcome)
      expect(await doctorFindings(platform.config)).toEqual([])
    }
    expect([...outcomes]).toEqual(
      expect.arrayContaining(['create', 'update', 'delete'].map(verb => `machine ${verb}: DONE`)),
    )
    const store = await openBeside(platform.config, storeCollections(areas))
    try {
      // The taxonomy repeats the reconciliation of a workspace whose machines cannot be resumed.
      await expect.poll(() => workOn(store)).toEqual([])
      expect(await doctorFindings(platform.config)).toEqual([])
    } finally {
      await store.close()
    }
  },
)
