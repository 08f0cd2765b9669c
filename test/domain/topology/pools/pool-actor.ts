import type { CallOptions } from '../../../../runtime/transport.ts'
import type { TopologyOperation } from '../../../../output/topology/types.ts'
import type { Steps } from '../../../areas/kill/run-load.ts'
import { seeded } from '../../../areas/random.ts'
import type { Intent, Sets } from '../../../server/killed/journal.ts'
import { locationOf, type SiteActing } from '../site-actor.ts'

/** Returns the name of the zone in which an actor has its pools. */
export const poolZoneOf = (name: string): string => `${locationOf(name)}-pools`

/**
 * The maximal number of pools of an actor at a time. With the maximal memory of each pool, all pools fit on the target.
 */
const mostPools = 10
const mostMemory = 1000

/** An actor that creates, resizes and deletes resource pools on the target of its location, sequentially. */
export class PoolActor implements Steps {
  readonly #parts: SiteActing
  readonly #random = seeded(process.pid + performance.now())
  #pools: readonly string[] = []
  #count = 0

  constructor(parts: SiteActing) {
    this.#parts = parts
  }

  async step(): Promise<void> {
    const [pool] = this.#pools
    const choice = this.#random.below(100)
    if (pool === undefined || (choice < 35 && this.#pools.length < mostPools)) return this.#create()
    return choice < 70 ? this.#resize(this.#random.oneOf(this.#pools)) : this.#delete(pool)
  }

  #do(
    operationType: Intent['operationType'],
    thing: string,
    sets: Sets,
    run: (options: CallOptions) => Promise<TopologyOperation>,
  ) {
    const intent = `${this.#parts.name}-pools-${(this.#count += 1)}`
    return this.#parts.make({ intent, operationType, resourceType: 'resourcePools', thing, sets }, run)
  }

  async #create(): Promise<void> {
    const { client, name: prefix } = this.#parts
    const name = `${prefix}-pool-${this.#count}`
    const memory_mib = this.#random.below(mostMemory)
    const body = {
      name,
      zone: poolZoneOf(prefix),
      deployment_target: locationOf(prefix),
      capacity: { vcpus: 0, memory_mib, disk_gib: 0 },
    }
    await this.#do('CREATE', name, { memory_mib: String(memory_mib) }, options =>
      client.createResourcePool({ body }, options),
    )
    this.#pools = [...this.#pools, name]
  }

  async #resize(id: string): Promise<void> {
    const memory_mib = this.#random.below(mostMemory)
    const request = { id, update_mask: 'capacity.memory_mib', body: { capacity: { memory_mib } } }
    await this.#do('UPDATE', id, { memory_mib: String(memory_mib) }, options =>
      this.#parts.client.updateResourcePool(request, options),
    )
  }

  async #delete(id: string): Promise<void> {
    await this.#do('DELETE', id, null, options => this.#parts.client.deleteResourcePool({ id }, options))
    this.#pools = this.#pools.filter(pool => pool !== id)
  }
}
