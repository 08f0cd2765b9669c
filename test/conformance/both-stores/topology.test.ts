import type { Existing } from '../../../generator/conform/subject.ts'
import type { Run } from '../existing.ts'
import { proveDocument } from '../documented.ts'

const targets = '/topology/v1/deployment-targets:register'
const capacity = { vcpus: 8, memory_mib: 16_384, disk_gib: 500 }

let count = 0

/** Registers a target at a location of its own; returns the name of both. */
async function newLocation(run: Run): Promise<string> {
  const name = `site-${(count += 1)}`
  await run(targets, { name, location: name, driver: 'TOPOLOGY_DRIVER_SIMULATED', capacity })
  return name
}

/** Makes a location that is approved into a region; returns its name. */
async function approved(run: Run, region = 'eu-west1'): Promise<string> {
  const name = await newLocation(run)
  await run(`/topology/v1/locations/${name}:approve`, { region })
  return name
}

/** Creates the regions that the examples of the document name. */
async function exampleRegions(run: Run): Promise<void> {
  for (const region of ['eu-west1', 'eu-central1', 'eu-north1']) await approved(run, region)
}

const ofTarget = async (run: Run): Promise<Existing> => ({ path: { id: await newLocation(run) } })

async function ofMultiRegion(run: Run): Promise<Existing> {
  await exampleRegions(run)
  const body = { name: `multi-${(count += 1)}`, regions: ['eu-west1', 'eu-north1'] }
  return { path: { id: await run('/topology/v1/multi-regions', body) } }
}

/**
 * Creates a location with a target and a zone, and returns the members of a new pool's body that name the zone and the
 * target. The target has room for the pool of the example.
 */
async function poolSites(run: Run) {
  const target = await approved(run)
  const zone = `${target}-a`
  await run('/topology/v1/zones', { name: zone, location: target })
  return { name: `${target}-pool`, zone, deployment_target: target }
}

async function ofPool(run: Run): Promise<Existing> {
  const body = { ...(await poolSites(run)), capacity }
  return { path: { id: await run('/topology/v1/resource-pools', body) } }
}

await proveDocument(
  'topology',
  { createZone: () => ({ location: 'local' }) },
  {
    getDeploymentTarget: ofTarget,
    deleteDeploymentTarget: ofTarget,
    updateDeploymentTarget: ofTarget,
    approveLocation: ofTarget,
    disableLocation: async run => ({ path: { id: await approved(run) } }),
    async enableLocation(run) {
      const id = await approved(run)
      await run(`/topology/v1/locations/${id}:disable`, {})
      return { path: { id } }
    },
    async createMultiRegion(run) {
      await exampleRegions(run)
      return { body: { name: `multi-${(count += 1)}` } }
    },
    getMultiRegion: ofMultiRegion,
    deleteMultiRegion: ofMultiRegion,
    updateMultiRegion: ofMultiRegion,
    createResourcePool: async run => ({ body: await poolSites(run) }),
    getResourcePool: ofPool,
    deleteResourcePool: ofPool,
    updateResourcePool: ofPool,
  },
)
