import { addReference } from '../../../domain/resources/references.ts'
import { withBody, type Aim } from '../aim.ts'
import type { AreaRecipes, Fault, Recipe } from '../recipe.ts'
import { resourceRecipes, type Resource } from '../resource-recipes.ts'
import type { World } from '../world.ts'

const driver = 'TOPOLOGY_DRIVER_SIMULATED'
const capacity = { vcpus: 8, memory_mib: 16_384, disk_gib: 500 }

const badLayout: Fault = {
  reason: 'NUMA_LAYOUT_INVALID',
  apply: aim => withBody(aim, { numa_nodes: [{ vcpus: 1000, memory_mib: 1 }] }),
}

/** Makes the fault that a virtual machine refers to the resource in the path; `type` is the type of this resource. */
const inUse = (type: string, reason: string): Fault => ({
  reason,
  async apply(aim, { store }) {
    const target = { type, id: aim.path['id'] ?? '' }
    await store.tx(tx => addReference(tx, target, { type: 'compute.vms', id: 'a-machine' }))
    return aim
  },
})

/** Registers a target at a location of its own with the same name; returns the name, and the id of the target. */
async function newTarget({ newName, run }: World): Promise<{ readonly id: string; readonly name: string }> {
  const name = newName()
  const body = { name, location: name, driver, capacity }
  return { name, id: await run('registerDeploymentTarget', { body }) }
}

/** Creates a region by the approval of a new location; returns the name of the region, the location and its target. */
async function newRegion(world: World): Promise<string> {
  const { name } = await newTarget(world)
  await world.run('approveLocation', { path: { id: name }, body: { region: name } })
  return name
}

/** Creates a location with a target, and a zone at the location; returns the names of the zone and of the target. */
async function newSites(world: World): Promise<{ readonly zone: string; readonly deployment_target: string }> {
  const location = await newRegion(world)
  const zone = world.newName()
  await world.run('createZone', { body: { name: zone, location } })
  return { zone, deployment_target: location }
}

/** The fault that an update gives a target less capacity than its pool has. */
const tooLittle: Fault = {
  reason: 'DEPLOYMENT_TARGET_CAPACITY_IN_USE',
  apply: aim => withBody(aim, { capacity: { ...capacity, vcpus: 7 } }),
}

const small = { vcpus: 1, memory_mib: 16, disk_gib: 1 }

const tooMuch: Fault = {
  reason: 'RESOURCE_POOL_EXCEEDS_TARGET',
  apply: aim => withBody(aim, { capacity: { ...small, vcpus: 9 } }),
}

const pool: Resource = {
  noun: 'ResourcePool',
  at: async () => ({}),
  body: async world => ({ name: world.newName(), ...(await newSites(world)), capacity: small }),
  calls: {
    create: {
      faults: {
        rule: badLayout,
        reference: { reason: 'ZONE_NOT_FOUND', apply: aim => withBody(aim, { zone: 'nowhere' }) },
        capacity: tooMuch,
      },
    },
    update: { body: { capacity: small, schedulable: false }, faults: { rule: badLayout, capacity: tooMuch } },
    delete: { faults: { state: inUse('topology.resourcePools', 'RESOURCE_POOL_IN_USE') } },
  },
}

/** Creates a target whose whole capacity belongs to a pool; returns the id and the name of the target. */
async function fullTarget(world: World): Promise<{ readonly id: string; readonly name: string }> {
  const sites = await newSites(world)
  await world.run('createResourcePool', { body: { name: world.newName(), ...sites, capacity } })
  const name = sites.deployment_target
  return { name, id: await world.run('registerDeploymentTarget', { body: { name, location: name, driver, capacity } }) }
}

const ofTarget = async (world: World): Promise<Aim['path']> => ({ id: (await newTarget(world)).id })

const register: Recipe = {
  async aim(world) {
    const { name } = await fullTarget(world)
    return { body: { name, location: name, driver, capacity } }
  },
  faults: {
    rule: badLayout,
    capacity: tooLittle,
    uniqueness: {
      reason: 'DEPLOYMENT_TARGET_ALREADY_EXISTS',
      apply: aim => withBody(aim, { location: 'elsewhere' }),
    },
  },
}

/**
 * Makes the recipe of a verb on a location, after the verbs in `before`. The fault is that the same verb has already
 * run.
 */
const verb = (name: string, before: readonly string[], reason: string): Recipe => ({
  async aim(world) {
    const { name: id } = await newTarget(world)
    const path = { id }
    for (const each of before) {
      await world.run(`${each}Location`, { path, body: each === 'approve' ? { region: 'local1' } : {} })
    }
    return { path, body: name === 'approve' ? { region: 'local1' } : {} }
  },
  faults: {
    state: {
      reason,
      async apply(aim, world) {
        await world.run(`${name}Location`, { path: aim.path, body: name === 'approve' ? { region: 'local1' } : {} })
        return aim
      },
    },
  },
})

const noRegion: Fault = {
  reason: 'REGION_NOT_FOUND',
  apply: aim => withBody(aim, { regions: ['local1', 'nowhere'] }),
}

const multiRegion: Resource = {
  noun: 'MultiRegion',
  at: async () => ({}),
  body: async world => ({ name: world.newName(), regions: ['local1', await newRegion(world)] }),
  calls: {
    create: { faults: { reference: noRegion } },
    delete: { faults: { state: inUse('topology.multiRegions', 'MULTI_REGION_IN_USE') } },
  },
}

/** The recipe of an update that removes one of three regions. */
const updateMultiRegion: Recipe = {
  async aim(world) {
    const left = ['local1', await newRegion(world)]
    const body = { name: world.newName(), regions: [...left, await newRegion(world)] }
    return { path: { id: await world.run('createMultiRegion', { body }) }, body: { regions: left } }
  },
  faults: { state: inUse('topology.multiRegions', 'MULTI_REGION_IN_USE'), reference: noRegion },
}

const zone: Resource = {
  noun: 'Zone',
  at: async () => ({}),
  body: ({ newName }) => ({ name: newName(), location: 'local' }),
  calls: {
    create: {
      faults: { reference: { reason: 'LOCATION_NOT_FOUND', apply: aim => withBody(aim, { location: 'nowhere' }) } },
    },
    update: { body: { schedulable: false } },
    delete: { faults: { state: inUse('topology.zones', 'ZONE_IN_USE') } },
  },
}

export const recipes: AreaRecipes = {
  operations: {
    registerDeploymentTarget: register,
    updateDeploymentTarget: {
      aim: async world => ({
        path: { id: (await fullTarget(world)).id },
        body: { capacity, display_name: 'changed' },
      }),
      faults: { rule: badLayout, capacity: tooLittle },
    },
    deleteDeploymentTarget: {
      aim: async world => ({ path: await ofTarget(world) }),
      faults: { state: inUse('topology.deploymentTargets', 'DEPLOYMENT_TARGET_IN_USE') },
    },
    approveLocation: verb('approve', [], 'LOCATION_ALREADY_APPROVED'),
    disableLocation: verb('disable', ['approve'], 'LOCATION_STATE_INVALID'),
    enableLocation: verb('enable', ['approve', 'disable'], 'LOCATION_STATE_INVALID'),
    ...resourceRecipes(multiRegion),
    updateMultiRegion,
    ...resourceRecipes(zone),
    ...resourceRecipes(pool),
  },
  reasons: {
    // These reasons concern a resource that the body names, which must exist.
    'createZone.LOCATION_NOT_APPROVED': 'reference',
    RESOURCE_POOL_LOCATION_MISMATCH: 'reference',
    // The amounts of targets, pools and allocations are compared after the check of all references.
    DEPLOYMENT_TARGET_CAPACITY_IN_USE: 'capacity',
    RESOURCE_POOL_CAPACITY_IN_USE: 'capacity',
    RESOURCE_POOL_EXCEEDS_TARGET: 'capacity',
  },
}
