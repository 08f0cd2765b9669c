import { afterAll, beforeAll, expect, it } from 'vitest'
import { machines } from '../../../domain/compute/drivers/simulated/machines-store.ts'
import { vmCollection } from '../../../domain/compute/vms/vms-store.ts'
import { portCollection } from '../../../domain/network/ports/ports-store.ts'
import { allocations } from '../../../domain/topology/pools/allocations-store.ts'
import { areas } from '../../../server/areas.ts'
import { works } from '../../../server/operations/work.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import type { ServerStore } from '../../../server/store/server-store.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { race, raceRounds } from '../../areas/race.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { tenantVms, vmCalls, type TenantVms } from './tenant-vms.ts'

/** A round makes a workspace and purges it, so there are fewer rounds than in other races; all with a given number. */
const rounds = process.env['NINEFOLD_RACE_LAPS'] === undefined ? Math.ceil(raceRounds / 4) : raceRounds

const undo: (() => void | Promise<void>)[] = []
let tenant: TenantVms
let store: ServerStore

beforeAll(async () => {
  // A suspension takes some 20 ms, so that it is in progress when the workspace is purged.
  tenant = await tenantVms(0.02, { later: each => void undo.push(each), retries: 10 })
  store = await openBeside(tenant.platform.config, storeCollections(areas))
  undo.push(() => store.close())
})

afterAll(async () => {
  for (const each of undo.toReversed()) await each()
})

/** Makes a workspace with a subnet; returns the ids. */
async function newWorkspace(name: string): Promise<{ readonly workspace: string; readonly subnet: string }> {
  const { api, organisation } = tenant
  const { resource_id: workspace } = await api.taxonomy.createWorkspace({ organisation, body: { name } })
  const at = { workspace, engine: 'native' }
  const vpc = { name: 'main', region: 'local1', cidr_blocks: ['10.20.0.0/16'] }
  const { resource_id: vpc_id } = await api.network.createVpc({ ...at, body: vpc })
  const body = { name: 's', vpc_id, cidr_block: '10.20.1.0/24' }
  return { workspace, subnet: (await api.network.createSubnet({ ...at, body })).resource_id }
}

it(`in ${rounds} rounds, a purge of a workspace wins against suspensions by the user, and nothing is left`, async () => {
  const { api, organisation } = tenant
  const { compute, taxonomy } = api
  const outcomes = await race(
    rounds,
    async round => {
      const { subnet, workspace } = await newWorkspace(`purged-${round}`)
      const calls = vmCalls(api, workspace)
      const created = (name: string) => calls.created(name, { network_interfaces: [{ subnet_id: subnet }] })
      const [slept, busy] = [await created('slept'), await created('busy')]
      await calls.ended(await compute.suspendVm({ workspace, id: slept.id, body: {} }))
      const node = { organisation, id: workspace }
      return [
        () => compute.suspendVm({ workspace, id: busy.id, body: {} }),
        async () => {
          await taxonomy.archiveWorkspace({ ...node, body: {} })
          await taxonomy.waitOperation(await taxonomy.deleteWorkspace({ ...node, force: true }))
        },
      ]
    },
    async () => {
      // The driver destroys the machines after their rows are gone.
      await expect.poll(() => store.count(works)).toBe(0)
      const left = {
        vms: await store.count(vmCollection),
        machines: await store.count(machines),
        allocations: await store.count(allocations),
        ports: await store.count(portCollection),
      }
      expect(left).toEqual({ vms: 0, machines: 0, allocations: 0, ports: 0 })
    },
  )
  console.log([...outcomes].map(([outcome, count]) => `${count} x ${outcome}`).join('; '))
  const lost = [
    'WORKSPACE_NOT_ACTIVE',
    'WORKSPACE_NOT_FOUND',
    'VM_OPERATION_IN_PROGRESS',
    'VM_STATE_INVALID',
    'VM_NOT_FOUND',
  ]
  const allowed = ['OK, OK', ...lost.map(reason => `${reason}, OK`)]
  expect([...outcomes.keys()].filter(outcome => !allowed.includes(outcome))).toEqual([])
  expect(await doctorFindings(tenant.platform.config)).toEqual([])
})
