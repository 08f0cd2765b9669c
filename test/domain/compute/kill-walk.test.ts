import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { ComputeClient } from '../../../output/compute/client.ts'
import type { ComputeOperation, Vm, VmInput } from '../../../output/compute/types.ts'
import { NetworkClient } from '../../../output/network/client.ts'
import { TaxonomyClient } from '../../../output/taxonomy/client.ts'
import { createTransport } from '../../../runtime/transport.ts'
import { killWalk } from '../../areas/kill/kill-walk.ts'
import { toldRestarts } from '../../areas/kill/restarts.ts'
import { walkTimeout } from '../../areas/kill/tried-points.ts'
import { testToken } from '../../server/access/test-access.ts'
import { tinyBody } from './tenant-vms.ts'
import { walkedAreas } from './walked-areas.ts'

/** The time limit of a call, which waits for the restart of a killed server, in milliseconds. */
const callMs = 180_000

const program = fileURLToPath(new URL('./walked-vms.ts', import.meta.url))

/** Calls every verb on a machine with an interface. Two other machines crash, and the creation of one machine fails. */
async function tell(call: typeof fetch, round: number): Promise<void> {
  const transport = createTransport({ baseUrl: '', token: testToken, fetch: call, timeoutMs: callMs })
  const [compute, network, taxonomy] = [
    new ComputeClient(transport),
    new NetworkClient(transport),
    new TaxonomyClient(transport),
  ]
  const { resource_id: organisation } = await taxonomy.createOrganisation({ body: { name: `acme-${round}` } })
  const { resource_id: workspace } = await taxonomy.createWorkspace({ organisation, body: { name: 'web' } })
  const place = { workspace, engine: 'native' }
  const block = '10.20.0.0/16'
  const vpc = await network.createVpc({ ...place, body: { name: 'main', region: 'local1', cidr_blocks: [block] } })
  const subnet = { name: 's', vpc_id: vpc.resource_id, cidr_block: '10.20.1.0/24' }
  const { resource_id: subnet_id } = await network.createSubnet({ ...place, body: subnet })
  const ended = async (operation: Promise<ComputeOperation>): Promise<string> => {
    const { errors, resource_id, status } = await compute.waitOperation(await operation)
    expect({ errors, status }).toEqual({ errors: [], status: 'COMPUTE_OPERATION_STATUS_DONE' })
    return resource_id
  }
  const create = (name: string, more: Partial<VmInput>) =>
    compute.createVm({ workspace, body: { ...tinyBody, name, ...more } })
  const becomes = (id: string, members: Partial<Vm>) =>
    expect.poll(() => compute.getVm({ workspace, id }), { timeout: 60_000 }).toMatchObject(members)

  const id = await ended(create('web-1', { network_interfaces: [{ subnet_id }] }))
  const to = { workspace, id, body: {} }
  await ended(compute.suspendVm(to))
  await ended(compute.resumeVm(to))
  await ended(compute.resetVm(to))
  await ended(compute.restartVm(to))
  await ended(compute.updateVm({ ...to, update_mask: 'boot_disk.size_gib', body: { boot_disk: { size_gib: 2 } } }))
  await ended(compute.stopVm(to))
  await ended(compute.startVm(to))
  // Kills neither repeat nor lose a boot.
  await becomes(id, { status: 'NATIVE_VM_STATUS_RUNNING', boot_count: 4, boot_disk: { image: 'tiny', size_gib: 2 } })

  const crashing = await ended(create('crashes', { metadata: { 'sim.crash-after-ms': '300' } }))
  // The machine may crash again while no server runs.
  const boots = async () => (await compute.getVm({ workspace, id: crashing })).boot_count
  await expect.poll(boots, { timeout: 60_000 }).toBeGreaterThan(1)
  await ended(compute.deleteVm({ workspace, id: crashing }))
  const left = await ended(create('left', { auto_restart: false, metadata: { 'sim.crash-after-ms': '1' } }))
  await becomes(left, { status: 'NATIVE_VM_STATUS_ERROR', status_reason: 'VM_CRASHED' })
  const broken = await create('broken', { metadata: { 'sim.fail': 'provision' } })
  await expect(compute.waitOperation(broken)).rejects.toThrow('sim.fail is "provision"')
  await becomes(broken.resource_id, { status_reason: 'VM_PROVISION_FAILED' })
  await ended(compute.deleteVm({ workspace, id }))

  // The machines that are left go with their workspace.
  const node = { organisation, id: workspace }
  await taxonomy.waitOperation(await taxonomy.archiveWorkspace({ ...node, body: {} }))
  await taxonomy.waitOperation(await taxonomy.deleteWorkspace({ ...node, force: true }))
}

it(
  'a server that is killed at any step of the work on a machine is made up for',
  { timeout: walkTimeout },
  async () => {
    const { missed, points, restarts, tried } = await killWalk({ program, areas: walkedAreas, walked: 'compute', tell })
    console.log(`${tried.length} of ${points.length} points; ${toldRestarts(restarts)}`)
    // The number of repetitions of a step depends on the time, so a run may lack a listed point.
    expect(missed.length).toBeLessThanOrEqual(tried.length / 4)
    expect(restarts.count).toBe(tried.length - missed.length)
  },
)
