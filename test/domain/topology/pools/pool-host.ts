import { beforeAll } from 'vitest'
import { minus } from '../../../../domain/topology/pools/capacity.ts'
import { poolCollection, type StoredPool } from '../../../../domain/topology/pools/pools-store.ts'
import type { Ninefold } from '../../../../output/client.ts'
import type { DeploymentTargetRegistrationInput, ResourcePoolInput } from '../../../../output/topology/types.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import type { ServerStore } from '../../../../server/store/server-store.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { afterTests } from '../../../undo.ts'

export const capacity = { vcpus: 8, memory_mib: 16_384, disk_gib: 500 }
export const small = { vcpus: 2, memory_mib: 1024, disk_gib: 10 }
export const zero = { vcpus: 0, memory_mib: 0, disk_gib: 0 }

/** Returns the body of the registration of a target in paris. */
export const target = (name: string, more: Partial<DeploymentTargetRegistrationInput> = {}) => ({
  name,
  location: 'paris',
  driver: 'TOPOLOGY_DRIVER_SIMULATED' as const,
  capacity,
  ...more,
})

type Use = Partial<Pick<StoredPool, 'allocated' | 'allocation_count' | 'pinned'>>

/** A platform with the target `par-h1` in the approved location paris, and the zone `eu-west1-a` there. */
export class PoolHost {
  #platform: TestPlatform | undefined
  #api: Ninefold['topology'] | undefined
  #store: ServerStore | undefined

  /** Registers a hook that opens the platform before the tests of the file. */
  constructor() {
    beforeAll(async () => {
      this.#platform = await testPlatform({ later: afterTests })
      this.#api = (await this.platform.admin()).api.topology
      const store = await openBeside(this.platform.config, storeCollections(areas))
      this.#store = store
      afterTests(() => store.close())
      await this.api.registerDeploymentTarget({ body: target('par-h1') })
      await this.api.approveLocation({ id: 'paris', body: { region: 'eu-west1' } })
      await this.api.createZone({ body: { name: 'eu-west1-a', location: 'paris' } })
    })
  }

  get platform(): TestPlatform {
    return opened(this.#platform)
  }

  get api(): Ninefold['topology'] {
    return opened(this.#api)
  }

  get store(): ServerStore {
    return opened(this.#store)
  }

  /** Creates a pool on `par-h1`; returns the operation. */
  create(name: string, more: Partial<ResourcePoolInput> = {}) {
    const body = { name, zone: 'eu-west1-a', deployment_target: 'par-h1', capacity: small, ...more }
    return this.api.createResourcePool({ body })
  }

  /** Creates a target, and on this target a pool of the same name; returns the id of the pool. */
  async createAlone(
    name: string,
    more: Partial<ResourcePoolInput> = {},
    host: Partial<DeploymentTargetRegistrationInput> = {},
  ): Promise<string> {
    await this.api.registerDeploymentTarget({ body: target(name, host) })
    const { resource_id } = await this.create(name, { deployment_target: name, capacity, ...more })
    return resource_id
  }

  update(id: string, update_mask: string, body: object) {
    return this.api.updateResourcePool({ id, update_mask, body })
  }

  /** Writes a use into the row of a pool, as allocations do. */
  useOf(id: string, use: Use): Promise<void> {
    return this.store.tx(async tx => {
      const pool = await tx.lock(poolCollection, id)
      if (!pool) throw new Error(`there is no pool ${id}`)
      const next = { ...pool.value, ...use }
      const available = minus(next.allocatable, next.allocated)
      await tx.update(poolCollection, id, { ...next, available }, pool.version)
    })
  }
}

function opened<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the platform is opened before the first test')
  return part
}
