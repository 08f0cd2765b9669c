import { expect } from 'vitest'
import { vmCollection, type StoredVm } from '../../../domain/compute/vms/vms-store.ts'
import { absentId } from '../../areas/members.ts'
import { withBody, type Aim } from '../aim.ts'
import type { AreaRecipes, Fault, Recipe } from '../recipe.ts'
import { noRoomIn } from '../taxonomy-quota.ts'
import type { World } from '../world.ts'

const capacity = { vcpus: 8, memory_mib: 16_384, disk_gib: 500 }

/** Creates a zone at a location of its own; without a pool it has no capacity. */
async function newZone({ newName, run }: World, hasPool: boolean): Promise<string> {
  const name = newName()
  const target = { name, location: name, driver: 'TOPOLOGY_DRIVER_SIMULATED', capacity }
  await run('registerDeploymentTarget', { body: target })
  await run('approveLocation', { path: { id: name }, body: { region: name } })
  await run('createZone', { body: { name, location: name } })
  if (hasPool) await run('createResourcePool', { body: { name, zone: name, deployment_target: name, capacity } })
  return name
}

const bodyIn = ({ newName }: World, zone: string) => ({
  name: newName(),
  zone,
  cpu: { count: 1 },
  memory_mib: 128,
  boot_disk: { image: 'tiny' },
})

const vmAt = (aim: Pick<Aim, 'path'>) => ({ workspace: aim.path['workspace'] ?? '', id: aim.path['id'] ?? '' })

/** Waits until no operation changes the machine of a path any more. */
async function rests({ store }: World, { id }: { readonly id: string }): Promise<void> {
  await expect.poll(async () => (await store.get(vmCollection, id))?.value.operation_id).toBe('')
}

/** A machine that runs in a zone of its own, after these verbs. */
const runningAfter =
  (verbs: readonly string[], more: Partial<Aim> = {}): Recipe['aim'] =>
  async world => {
    const { workspace } = await world.newPlace()
    const body = bodyIn(world, await newZone(world, true))
    const path = { workspace, id: await world.run('createVm', { path: { workspace }, body }) }
    await rests(world, path)
    for (const verb of verbs) {
      await world.run(verb, { path })
      await rests(world, path)
    }
    return { path, body: {}, ...more }
  }

/**
 * Returns a fault that writes `members` into the stored row of the machine. The fault writes to the store directly,
 * because no call can change the machine if its workspace is suspended as well.
 */
const having = (reason: string, members: Partial<StoredVm>): Fault => ({
  reason,
  async apply(aim, { store }) {
    await store.tx(async tx => {
      const stored = await tx.lock(vmCollection, vmAt(aim).id)
      if (stored) await tx.update(vmCollection, stored.id, { ...stored.value, ...members }, stored.version)
    })
    return aim
  },
})

const running = having('VM_STATE_INVALID', { status: 'NATIVE_VM_STATUS_RUNNING' })
const stopped = having('VM_STATE_INVALID', { status: 'NATIVE_VM_STATUS_STOPPED' })

/** The zone of the machine takes no work. */
const cordoned: Fault = {
  reason: 'ZONE_NOT_AVAILABLE',
  async apply(aim, { admin, run }) {
    const { zone } = await admin.api.compute.getVm(vmAt(aim))
    await run('updateZone', { path: { id: zone }, query: { update_mask: 'schedulable' }, body: { schedulable: false } })
    return aim
  },
}

/** The pool of the machine has no disk for a saved state. */
const noDisk: Fault = {
  reason: 'ZONE_CAPACITY_EXHAUSTED',
  async apply(aim, { admin, run }) {
    const { resource_pool: id } = await admin.api.compute.getVm(vmAt(aim))
    const query = { update_mask: 'capacity.disk_gib' }
    await run('updateResourcePool', { path: { id }, query, body: { capacity: { disk_gib: 1 } } })
    return aim
  },
}

const createVm: Recipe = {
  async aim(world) {
    const { workspace } = await world.newPlace()
    return { path: { workspace }, body: bodyIn(world, await newZone(world, true)) }
  },
  faults: {
    rule: {
      reason: 'VM_NUMA_INVALID',
      apply: aim => withBody(aim, { numa: { nodes: [{ vcpus: 5, memory_mib: 128 }] } }),
    },
    reference: { reason: 'VM_IMAGE_NOT_FOUND', apply: aim => withBody(aim, { boot_disk: { image: 'nothing' } }) },
    quota: noRoomIn('WORKSPACE', 'compute.vms'),
    capacity: {
      reason: 'ZONE_CAPACITY_EXHAUSTED',
      apply: async (aim, world) => withBody(aim, { zone: await newZone(world, false) }),
    },
  },
}

const updateVm: Recipe = {
  aim: runningAfter(['stopVm'], {
    query: { update_mask: 'name,cpu.count,boot_disk.size_gib,network_interfaces' },
    body: { cpu: { count: 2 }, boot_disk: { size_gib: 2 }, network_interfaces: [] },
  }),
  faults: {
    state: having('VM_MUST_BE_STOPPED', { status: 'NATIVE_VM_STATUS_RUNNING' }),
    reference: {
      reason: 'VM_SUBNET_NOT_FOUND',
      apply: aim => withBody(aim, { network_interfaces: [{ subnet_id: absentId }] }),
    },
    quota: noRoomIn('WORKSPACE', 'compute.disk_gib'),
    capacity: {
      reason: 'ZONE_CAPACITY_EXHAUSTED',
      apply: aim => withBody(aim, { boot_disk: { size_gib: 600 } }),
    },
  },
}

export const recipes: AreaRecipes = {
  operations: {
    createVm,
    updateVm,
    deleteVm: {
      aim: runningAfter([]),
      faults: { state: having('VM_DELETION_PROTECTED', { deletion_protection: true }) },
    },
    startVm: { aim: runningAfter(['stopVm']), faults: { state: running, capacity: cordoned } },
    stopVm: { aim: runningAfter([]), faults: { state: stopped } },
    suspendVm: { aim: runningAfter([]), faults: { state: stopped, capacity: noDisk } },
    resumeVm: { aim: runningAfter(['suspendVm']), faults: { state: running, capacity: cordoned } },
    restartVm: { aim: runningAfter([]), faults: { state: stopped } },
    resetVm: { aim: runningAfter([]), faults: { state: stopped } },
  },
  reasons: {
    'createVm.ZONE_NOT_AVAILABLE': 'reference',
    // A machine that begins to run again needs capacity of its own pool.
    ZONE_NOT_AVAILABLE: 'capacity',
    // The image and the subnet that the body names are judged once they are found.
    VM_IMAGE_REQUIREMENT_UNMET: 'reference',
    VM_SUBNET_REGION_MISMATCH: 'reference',
    // These rules need the stored machine.
    'updateVm.VM_NUMA_INVALID': 'reference',
    DISK_SHRINK_UNSUPPORTED: 'reference',
    // Ports are made last, after the capacity.
    'network.IP_ADDRESS_IN_USE': 'capacity',
    'network.IP_ADDRESS_NOT_ASSIGNABLE': 'capacity',
  },
}
