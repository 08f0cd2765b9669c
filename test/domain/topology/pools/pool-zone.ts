import { beforeAll, beforeEach } from 'vitest'
import type { CapacityNeed } from '../../../../domain/ports/topology.ts'
import type { Ninefold } from '../../../../output/client.ts'
import type { ResourcePoolInput } from '../../../../output/topology/types.ts'
import { areas } from '../../../../server/areas.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'
import { usingArea, type Using } from '../using-area.ts'
import { afterTests } from '../../../undo.ts'

/** Returns a need with the given amounts of the three dimensions. */
export const need = (vcpus: number, memory_mib: number, disk_gib: number): CapacityNeed => ({
  vcpus,
  memory_mib,
  disk_gib,
})

export const nothing = need(0, 0, 0)

/** The calls of a platform, and the zone of the running test. */
export interface PoolZone {
  readonly api: Ninefold['topology']
  readonly using: Using
  /** The name of the zone, of its location and of a deployment target there. */
  readonly zone: string
  /** Creates a pool in the zone; returns the name of the pool, `<zone>-<name>`. */
  addPool(name: string, capacity: CapacityNeed, more?: Partial<ResourcePoolInput>): Promise<string>
  /** Returns the id of a consumer of capacity; no other test has the same ids. */
  thing(name?: string): string
  /** Returns the findings of the doctor in the whole store. */
  findings(): Promise<readonly string[]>
}

const driver = 'TOPOLOGY_DRIVER_SIMULATED'
const capacity = { vcpus: 1000, memory_mib: 1_000_000, disk_gib: 100_000 }

/** Opens a platform for the tests of a file; each test has a location, a zone and a deployment target of its own. */
export function poolZone(): PoolZone {
  const { calls, module } = usingArea()
  const mounted = [...areas, module]
  let platform: TestPlatform
  let api: Ninefold['topology']
  let zone: string
  let count = 0
  beforeAll(async () => {
    platform = await testPlatform({ later: afterTests, areas: mounted })
    api = (await platform.admin()).api.topology
  })
  beforeEach(async () => {
    zone = `zone-${(count += 1)}`
    await api.registerDeploymentTarget({ body: { name: zone, location: zone, driver, capacity } })
    await api.approveLocation({ id: zone, body: { region: zone } })
    await api.createZone({ body: { name: zone, location: zone } })
  })
  return {
    get api() {
      return api
    },
    get using() {
      return calls()
    },
    get zone() {
      return zone
    },
    async addPool(name, size, more = {}) {
      const pool = `${zone}-${name}`
      await api.createResourcePool({ body: { name: pool, zone, deployment_target: zone, capacity: size, ...more } })
      return pool
    },
    thing: (name = 'a') => `${zone}-${name}`,
    findings: () => doctorFindings(platform.config, mounted),
  }
}
