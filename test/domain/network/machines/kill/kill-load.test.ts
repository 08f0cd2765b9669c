import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { portCollection } from '../../../../../domain/network/ports/ports-store.ts'
import { allocations } from '../../../../../domain/topology/pools/allocations-store.ts'
import type { Ninefold } from '../../../../../output/client.ts'
import type { ComputeOperation } from '../../../../../output/compute/types.ts'
import { storeCollections, type StorePlace } from '../../../../../server/platform-store.ts'
import { doctorFindings } from '../../../../areas/doctor.ts'
import { startClientProgram } from '../../../../areas/kill/client-process.ts'
import { killRounds, killTimeout, killUnderLoad, serve } from '../../../../areas/kill/kill-under-load.ts'
import { toldRestarts } from '../../../../areas/kill/restarts.ts'
import { addTenant } from '../../../../areas/members.ts'
import { reckon, type Kept } from '../../../../server/killed/reckoning.ts'
import { postgresUrl } from '../../../../server/store/harness.ts'
import { openBeside, testStorePlace } from '../../../../server/store/left-place.ts'
import { areasWithMachines } from '../machine-area.ts'
import { machines } from '../machine-kind.ts'
import { callsOf } from '../tenant-network.ts'
import type { MachineLoad } from './machine-load.ts'

const serving = fileURLToPath(new URL('./serve-machines.ts', import.meta.url))
const program = fileURLToPath(new URL('./machine-load.ts', import.meta.url))

/** The number of servers: one on SQLite, two on one PostgreSQL. */
const serverCount = postgresUrl() === undefined ? 1 : 2

async function operationsOf({ compute }: Ninefold): Promise<readonly ComputeOperation[]> {
  const operations: ComputeOperation[] = []
  for await (const each of compute.iterateOperations({ page_size: 100, order_by: 'insert_time' })) operations.push(each)
  return operations
}

/**
 * Returns the names and statuses of all machines. Checks that each machine has its capacity and one port, and that no
 * other ports and allocations exist.
 */
async function machinesOf(place: StorePlace): Promise<Kept['things']> {
  const store = await openBeside(place, storeCollections(areasWithMachines))
  try {
    const things: Kept['things'][number][] = []
    const ids: string[] = []
    for await (const { value } of store.each(machines)) {
      ids.push(value.id)
      things.push([value.name, { status: value.status.replace(/^.*_/, '') }])
      const held = (await store.get(allocations, `compute.vms/${value.id}`))?.value
      const isRunning = value.status === 'NATIVE_VM_STATUS_RUNNING'
      if (isRunning) expect(held).toMatchObject({ vcpus: value.need.vcpus, nodes: value.need.numa ?? [] })
      expect(held).toMatchObject({ disk_gib: value.need.disk_gib })
    }
    expect(await store.count(allocations)).toBe(ids.length)
    expect(await store.count(portCollection)).toBe(ids.length)
    expect(await store.count(portCollection, { 'attachment.resource_id': ids })).toBe(ids.length)
    return things
  } finally {
    await store.close()
  }
}

it(
  'a server that is killed again and again keeps machines, ports and capacity together, and does no change twice',
  { timeout: killTimeout },
  async () => {
    const place = await testStorePlace()
    const served = await serve(place, serverCount, { program: serving })
    const { api } = (await served.servers[0]?.admin()) ?? {}
    if (!api) throw new Error('no server was started')
    const { workspace } = await addTenant(api, 'acme')
    const { subnet, vpc } = callsOf(api, workspace)
    const vpcId = await vpc('net-1', '10.20.0.0/16')
    const subnets = [await subnet(vpcId, 's1', '10.20.1.0/24'), await subnet(vpcId, 's2', '10.20.2.0/24')]
    const { journal, restarts } = await killUnderLoad(served, killRounds, (name, to, token) => {
      const given = { name, token, addresses: served.addresses, actors: 4, workspace, subnets }
      return startClientProgram(program, given satisfies MachineLoad, to, onTestFinished)
    })
    console.log(`${killRounds} kills, ${journal.outcomes.size} calls; ${toldRestarts(restarts)}`)
    expect(journal.troubles.lost).toBeGreaterThan(0)
    if (serverCount > 1) expect(journal.troubles.again).toBe(0)
    const last = await served.servers[0]?.admin()
    if (!last) throw new Error('no server is left')
    const kept = { area: 'compute', operations: await operationsOf(last.api), things: await machinesOf(place) }
    expect(reckon(journal, kept)).toEqual([])
    expect(await doctorFindings(place, areasWithMachines)).toEqual([])
  },
)
