import { expect, it } from 'vitest'
import { network } from '../../../domain/network/area.ts'
import { freeRanges } from '../../../domain/network/subnets/free-ranges-store.ts'
import { portCollection } from '../../../domain/network/ports/ports-store.ts'
import { subnetCollection } from '../../../domain/network/subnets/subnets-store.ts'
import { references } from '../../../domain/resources/references.ts'
import { allocations } from '../../../domain/topology/pools/allocations-store.ts'
import { isEnded } from '../../../runtime/operations.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { areasWithMachines } from './machines/machine-area.ts'
import { tenantNetwork } from './machines/tenant-network.ts'
import { afterTests } from '../../undo.ts'

it('a workspace with subnets and ports is not empty, and its purge deletes all their rows and frees their capacity', async () => {
  const { api, machine, organisation, platform, subnet, vpc, workspace } = await tenantNetwork(afterTests)
  const { taxonomy } = api
  const reserved_ranges = [{ start: '10.20.1.7' }]
  const id = await subnet(await vpc('net-1', '10.20.0.0/16'), 's1', '10.20.1.0/28', { reserved_ranges })
  for (const name of ['m-1', 'm-2', 'm-3']) await machine(name, id)
  await taxonomy.archiveWorkspace({ organisation, id: workspace, body: {} })
  await expect(taxonomy.deleteWorkspace({ organisation, id: workspace })).rejects.toMatchObject({
    reason: 'WORKSPACE_NOT_EMPTY',
    details: {
      precondition: expect.arrayContaining([
        expect.objectContaining({ type: 'network.vpcs' }),
        expect.objectContaining({ type: 'network.subnets' }),
      ]),
    },
  })
  const deleted = await taxonomy.deleteWorkspace({ organisation, id: workspace, force: true })
  await expect.poll(async () => isEnded(await taxonomy.getOperation(deleted)), { timeout: 20_000 }).toBe(true)
  expect(await taxonomy.getOperation(deleted)).toMatchObject({ errors: [], warnings: [] })
  expect(await doctorFindings(platform.config, areasWithMachines)).toEqual([])
  const store = await openBeside(platform.config, storeCollections(areasWithMachines))
  expect(await store.count(subnetCollection)).toBe(0)
  expect(await store.count(portCollection)).toBe(0)
  expect(await store.count(freeRanges)).toBe(0)
  expect(await store.count(allocations)).toBe(0)
  expect(await store.count(references, { holder_type: network.kinds.map(({ type }) => type) })).toBe(0)
  await store.close()
})

it('a suspended workspace keeps its ports and addresses, and refuses changes of its subnets', async () => {
  const { api, getSubnet, machine, organisation, subnet, vpc, workspace } = await tenantNetwork()
  const vpc_id = await vpc('net-1', '10.20.0.0/16')
  const id = await subnet(vpc_id, 's1', '10.20.1.0/28')
  await machine('m-1', id)
  await api.taxonomy.suspendWorkspace({ organisation, id: workspace, body: {} })
  const path = { workspace, engine: 'native' }
  const body = { name: 's2', vpc_id, cidr_block: '10.20.2.0/28' }
  const refused = { reason: 'WORKSPACE_NOT_ACTIVE', code: 3000004 }
  await expect(api.network.createSubnet({ ...path, body })).rejects.toMatchObject(refused)
  await expect(api.network.updateSubnet({ ...path, id, body: { dns_servers: [] } })).rejects.toMatchObject(refused)
  await expect(api.network.deleteSubnet({ ...path, id })).rejects.toMatchObject(refused)
  expect(await getSubnet(id)).toMatchObject({ allocated_addresses: 1 })
  expect((await api.network.listLogicalPorts(path)).logical_ports).toHaveLength(1)
})
