import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { needOf } from '../../../../domain/compute/vms/capacity.ts'
import { bareStatus } from '../../../../domain/compute/vms/transitions.ts'
import { vmCollection, type StoredVm } from '../../../../domain/compute/vms/vms-store.ts'
import { portCollection } from '../../../../domain/network/ports/ports-store.ts'
import { quotaUsages } from '../../../../domain/taxonomy/quotas/usage.ts'
import { allocations } from '../../../../domain/topology/pools/allocations-store.ts'
import type { Ninefold } from '../../../../output/client.ts'
import type { ComputeOperation } from '../../../../output/compute/types.ts'
import { areas } from '../../../../server/areas.ts'
import { works } from '../../../../server/operations/work.ts'
import { storeCollections, type StorePlace } from '../../../../server/platform-store.ts'
import type { ServerStore } from '../../../../server/store/server-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { startClientProgram } from '../../../areas/kill/client-process.ts'
import { killRounds, killTimeout, killUnderLoad } from '../../../areas/kill/kill-under-load.ts'
import { toldRestarts } from '../../../areas/kill/restarts.ts'
import { runningApi, servedTenant } from '../../../areas/kill/served-tenant.ts'
import { reckon, type Kept, type KeptOperation } from '../../../server/killed/reckoning.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { usedOf } from '../used-quotas.ts'
import type { VmLoad } from './vm-load.ts'

const program = fileURLToPath(new URL('./vm-load.ts', import.meta.url))

/** The settings by which changes take some milliseconds, so that kills meet machines in transient statuses. */
const settings = { NINEFOLD_COMPUTE_SIM_TIME_SCALE: '0.005' }

/** Returns all operations. An operation that a deletion has cancelled counts as DONE. */
async function operationsOf({ compute }: Ninefold): Promise<readonly KeptOperation[]> {
  const operations: KeptOperation[] = []
  for await (const each of compute.iterateOperations({ page_size: 100, order_by: 'insert_time' }))
    operations.push(isCancelled(each) ? { ...each, status: 'COMPUTE_OPERATION_STATUS_DONE' } : each)
  return operations
}

const isCancelled = ({ errors }: ComputeOperation): boolean =>
  errors.length === 1 && errors[0]?.reason === 'OPERATION_CANCELLED'

/** Returns the statuses of the machines, after checks of their capacity, their ports, and the usages of quotas. */
async function machinesOf(place: StorePlace, workspace: string): Promise<Kept['things']> {
  const store = await openBeside(place, storeCollections(areas))
  try {
    // Acknowledged operations go on after the last call.
    await expect.poll(() => store.count(works), { timeout: 60_000, interval: 50 }).toBe(0)
    const vms: StoredVm[] = []
    for await (const { value } of store.each(vmCollection)) vms.push(value)
    for (const vm of vms) {
      const held = (await store.get(allocations, `compute.vms/${vm.id}`))?.value
      const { disk_gib, memory_mib, vcpus } = needOf(vm, vm.holds)
      expect(held).toMatchObject({ disk_gib, memory_mib, vcpus })
    }
    const ids = vms.map(({ id }) => id)
    expect(await store.count(allocations)).toBe(ids.length)
    expect(await store.count(portCollection)).toBe(ids.length)
    expect(await store.count(portCollection, { 'attachment.resource_id': ids })).toBe(ids.length)
    expect(await usagesOf(store, workspace)).toEqual(usedOf(vms))
    return vms.map(vm => [vm.name, { status: bareStatus(vm) }])
  } finally {
    await store.close()
  }
}

async function usagesOf(store: ServerStore, workspace: string): Promise<Record<string, number>> {
  const used: Record<string, number> = {}
  for await (const { value } of store.each(quotaUsages, { workspace_id: workspace }))
    if (value.quota_id.startsWith('compute.')) used[value.quota_id] = value.amount
  return used
}

it(
  'a server that is killed again and again keeps machines, ports, capacity and quotas together, and no call is lost',
  { timeout: killTimeout },
  async () => {
    const { api, place, served, workspace } = await servedTenant({ settings })
    const at = { workspace, engine: 'native' }
    const vpc = { name: 'main', region: 'local1', cidr_blocks: ['10.20.0.0/16'] }
    const { resource_id: vpc_id } = await api.network.createVpc({ ...at, body: vpc })
    const subnets: string[] = []
    for (const n of [1, 2]) {
      const body = { name: `s${n}`, vpc_id, cidr_block: `10.20.${n}.0/24` }
      subnets.push((await api.network.createSubnet({ ...at, body })).resource_id)
    }
    const { journal, restarts } = await killUnderLoad(served, killRounds, (name, to, token) => {
      const given = { name, token, addresses: served.addresses, actors: 4, workspace, subnets }
      return startClientProgram(program, given satisfies VmLoad, to, onTestFinished)
    })
    console.log(`${killRounds} kills, ${journal.outcomes.size} calls; ${toldRestarts(restarts)}`)
    expect(journal.troubles.lost).toBeGreaterThan(0)
    const last = await runningApi(served)
    const things = await machinesOf(place, workspace)
    expect(reckon(journal, { area: 'compute', operations: await operationsOf(last), things })).toEqual([])
    expect(await doctorFindings(place)).toEqual([])
  },
)
