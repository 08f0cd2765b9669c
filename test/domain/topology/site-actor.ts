import type { TopologyClient } from '../../../output/topology/client.ts'
import type { TopologyOperation } from '../../../output/topology/types.ts'
import type { CallOptions } from '../../../runtime/transport.ts'
import type { Acting, Make, Steps } from '../../areas/kill/run-load.ts'
import { seeded } from '../../areas/random.ts'
import type { Intent, Sets } from '../../server/killed/journal.ts'

/** The dependencies of an actor. */
export interface SiteActing extends Pick<Acting, 'name'> {
  readonly client: TopologyClient
  readonly make: Make
}

/** Returns the name of the location of the actor whose resources have the prefix `name`. */
export const locationOf = (name: string): string => `of-${name}`

type Run = (options: CallOptions) => Promise<TopologyOperation>

type Call = Pick<Intent, 'operationType' | 'resourceType' | 'thing' | 'sets'>

/**
 * An actor that registers and deletes a target, creates, cordons and deletes zones, and disables and enables its
 * location, sequentially.
 */
export class SiteActor implements Steps {
  readonly #parts: SiteActing
  readonly #random = seeded(process.pid + performance.now())
  #isEnabled = true
  #hasTarget = false
  #zones: readonly string[] = []
  #count = 0

  constructor(parts: SiteActing) {
    this.#parts = parts
  }

  async step(): Promise<void> {
    const choice = this.#random.below(100)
    if (choice < 20) return this.#turnLocation()
    if (choice < 50) return this.#stepTarget()
    const [zone] = this.#zones
    if (zone === undefined || choice < 70) return this.#createZone()
    return choice < 85 ? this.#cordon(zone) : this.#deleteZone(zone)
  }

  #do(operationType: Call['operationType'], [resourceType, thing]: readonly [string, string], sets: Sets, run: Run) {
    const intent = `${this.#parts.name}-${(this.#count += 1)}`
    return this.#parts.make({ intent, operationType, resourceType, thing, sets }, run)
  }

  async #turnLocation(): Promise<void> {
    const { client, name } = this.#parts
    const id = locationOf(name)
    const request = { id, body: { reason: 'under load' } }
    const wasEnabled = this.#isEnabled
    this.#isEnabled = !wasEnabled
    await this.#do(
      wasEnabled ? 'DISABLE' : 'ENABLE',
      ['locations', id],
      { state: wasEnabled ? 'DISABLED' : 'ENABLED' },
      options => (wasEnabled ? client.disableLocation(request, options) : client.enableLocation(request, options)),
    )
  }

  async #stepTarget(): Promise<void> {
    const { client, name } = this.#parts
    const target = ['deploymentTargets', `${name}-host`] as const
    const [, id] = target
    if (this.#hasTarget && this.#random.percent(30)) {
      this.#hasTarget = false
      await this.#do('DELETE', target, null, options => client.deleteDeploymentTarget({ id }, options))
      return
    }
    this.#hasTarget = true
    const vcpus = this.#random.below(1000)
    const driver = 'TOPOLOGY_DRIVER_SIMULATED'
    const body = {
      name: id,
      location: locationOf(name),
      driver,
      capacity: { vcpus, memory_mib: 1, disk_gib: 1 },
    } as const
    await this.#do('REGISTER', target, { vcpus: String(vcpus) }, options =>
      client.registerDeploymentTarget({ body }, options),
    )
  }

  async #createZone(): Promise<void> {
    const { client, name: prefix } = this.#parts
    const name = `${prefix}-zone-${this.#count}`
    const body = { name, location: locationOf(prefix) }
    await this.#do('CREATE', ['zones', name], { schedulable: 'true' }, options => client.createZone({ body }, options))
    this.#zones = [...this.#zones, name]
  }

  async #cordon(id: string): Promise<void> {
    const schedulable = this.#random.percent(50)
    const request = { id, update_mask: 'schedulable', body: { schedulable } }
    await this.#do('UPDATE', ['zones', id], { schedulable: String(schedulable) }, options =>
      this.#parts.client.updateZone(request, options),
    )
  }

  async #deleteZone(id: string): Promise<void> {
    await this.#do('DELETE', ['zones', id], null, options => this.#parts.client.deleteZone({ id }, options))
    this.#zones = this.#zones.filter(zone => zone !== id)
  }
}
