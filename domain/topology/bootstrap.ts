import { formatMillis } from '../../runtime/timestamps.ts'
import { systemPrincipalId } from '../ports/reserved.ts'
import type { Collection, Transaction } from '../ports/store.ts'
import { makeReferences } from '../resources/find-rows.ts'
import { newPool } from './pools/new-pool.ts'
import { poolKind } from './pools/pool-kind.ts'
import { poolCollection, type StoredPool } from './pools/pools-store.ts'
import { targetKind, zoneKind } from './sites/kinds.ts'
import { locationCollection, type StoredLocation } from './sites/locations-store.ts'
import { ensureRegion } from './sites/regions-store.ts'
import { standardMembers, type StandardMembers } from '../resources/standard-members.ts'
import { targetCollection, type StoredTarget } from './sites/targets-store.ts'
import { zoneCollection, type StoredZone } from './sites/zones-store.ts'

/** The names of the rows that the bootstrap creates (topology.md 4). */
export const bootstrapNames = {
  target: 'local-sim',
  location: 'local',
  region: 'local1',
  zone: 'local1-a',
  pool: 'local1-a-default',
} as const

/**
 * The collection with the single row that records the bootstrap, so that the bootstrap does not create rows again that
 * an operator has deleted.
 */
export const bootstraps: Collection<{ readonly id: 'bootstrap'; readonly create_time: string }> = {
  name: 'topology_bootstraps',
  id: 'id',
}

/** The settings of the bootstrap, and the source of ids. */
export interface BootstrapParts {
  readonly settings: { readonly 'topology.bootstrap': boolean }
  readonly newId: () => string
}

/**
 * Creates the first inventory, at most once in the life of a store: a region, an ENABLED location in the region, and
 * there a simulated target, a zone, and a resource pool with the whole capacity of the target. In a store that has a
 * location already, only records the bootstrap. Does nothing without the setting `topology.bootstrap`; a later start
 * with the setting then creates the inventory.
 */
export async function bootstrap(tx: Transaction, now: number, { newId, settings }: BootstrapParts): Promise<void> {
  if (!settings['topology.bootstrap'] || (await tx.get(bootstraps, 'bootstrap'))) return
  const create_time = formatMillis(now)
  await tx.insert(bootstraps, { id: 'bootstrap', create_time })
  if (await tx.exists(locationCollection, {})) return
  const standard = (): StandardMembers => standardMembers({ newId }, { now })
  await tx.insert(locationCollection, firstLocation(standard()))
  const { region } = bootstrapNames
  await ensureRegion(tx, { id: newId(), name: region, country_code: '', create_time })
  const target = firstTarget(standard())
  await makeReferences(tx, targetKind, target)
  await tx.insert(targetCollection, target)
  const zone = firstZone(standard())
  await makeReferences(tx, zoneKind, zone)
  await tx.insert(zoneCollection, zone)
  const pool = firstPool(standard(), target)
  await makeReferences(tx, poolKind, pool)
  await tx.insert(poolCollection, pool)
}

const described = { display_name: '', labels: {} } as const

const firstLocation = (standard: StandardMembers): StoredLocation => ({
  ...standard,
  ...described,
  name: bootstrapNames.location,
  description: 'Where the platform itself runs.',
  country_code: '',
  city: '',
  proposed_region: bootstrapNames.region,
  region: bootstrapNames.region,
  state: 'TOPOLOGY_LOCATION_STATE_ENABLED',
  state_reason: '',
  approve_time: standard.create_time,
  approved_by: systemPrincipalId,
})

const firstTarget = (standard: StandardMembers): StoredTarget => ({
  ...standard,
  ...described,
  name: bootstrapNames.target,
  description: 'Simulated, for first virtual machines.',
  location: bootstrapNames.location,
  driver: 'TOPOLOGY_DRIVER_SIMULATED',
  endpoint: '',
  capacity: { vcpus: 512, memory_mib: 2_097_152, disk_gib: 65_536 },
  numa_nodes: [
    { vcpus: 256, memory_mib: 1_048_576 },
    { vcpus: 256, memory_mib: 1_048_576 },
  ],
  agent_version: '',
  last_register_time: standard.create_time,
  probe: 'PASSED',
  state_message: '',
})

const firstZone = (standard: StandardMembers): StoredZone => ({
  ...standard,
  ...described,
  name: bootstrapNames.zone,
  description: '',
  location: bootstrapNames.location,
  region: bootstrapNames.region,
  schedulable: true,
})

const firstPool = (standard: StandardMembers, { capacity, numa_nodes }: StoredTarget): StoredPool =>
  newPool(
    {
      ...described,
      name: bootstrapNames.pool,
      description: '',
      zone: bootstrapNames.zone,
      deployment_target: bootstrapNames.target,
      capacity,
      reserved: { vcpus: 0, memory_mib: 0, disk_gib: 0 },
      overcommit: { vcpus: 1, memory_mib: 1, disk_gib: 1 },
      numa_nodes,
      schedulable: true,
    },
    standard,
  )
