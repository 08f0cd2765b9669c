import type { NetworkClient } from '../../../output/network/client.ts'
import type { NetworkOperation } from '../../../output/network/types.ts'
import type { CallOptions } from '../../../runtime/transport.ts'
import type { Make, Steps } from '../../areas/kill/run-load.ts'
import { seeded } from '../../areas/random.ts'
import type { Intent, Sets } from '../../server/killed/journal.ts'

/** The dependencies of an actor. */
export interface VpcActorOptions {
  readonly client: NetworkClient
  readonly make: Make
  /** The prefix of the names of all resources that the actor creates. */
  readonly name: string
  readonly workspace: string
}

interface Thing {
  readonly name: string
  readonly id: string
  readonly resourceType: 'vpcs' | 'subnets' | 'quotaLimits'
}

interface Subnet extends Thing {
  readonly vpc: string
}

type Run = (options: CallOptions) => Promise<NetworkOperation>

const engine = 'native'
const quota_definition = 'network.vpcs'
const mostVpcs = 4
const mostSubnets = 6

/** Returns the region of the actor whose resources have the prefix `name`. */
export const regionOf = (name: string): string => `of-${name}`

/**
 * An actor that sequentially creates, changes and deletes VPCs of its own region, their subnets, and the quota limit of
 * the region. The actor deletes the subnets of a VPC before the VPC.
 */
export class VpcActor implements Steps {
  readonly #parts: VpcActorOptions
  readonly #random = seeded(process.pid + performance.now())
  readonly #region: string
  #vpcs: readonly Thing[] = []
  #subnets: readonly Subnet[] = []
  #limit: Thing | undefined
  #count = 0

  constructor(parts: VpcActorOptions) {
    this.#parts = parts
    this.#region = regionOf(parts.name)
  }

  async step(): Promise<void> {
    if (this.#random.percent(30)) return this.#stepLimit()
    if (this.#vpcs.length === 0 || (this.#vpcs.length < mostVpcs && this.#random.percent(40))) return this.#createVpc()
    const vpc = this.#random.oneOf(this.#vpcs)
    if (this.#random.percent(60)) return this.#stepSubnets(vpc)
    return this.#random.percent(30) ? this.#deleteVpc(vpc) : this.#updateVpc(vpc)
  }

  #do(operationType: Intent['operationType'], thing: Omit<Thing, 'id'>, sets: Sets, run: Run) {
    const intent = `${this.#parts.name}-${(this.#count += 1)}`
    const { name, resourceType } = thing
    return this.#parts.make({ intent, operationType, resourceType, thing: name, sets }, run)
  }

  async #createVpc(): Promise<void> {
    const { client, name: prefix, workspace } = this.#parts
    const thing = { name: `${prefix}-vpc-${this.#count}`, resourceType: 'vpcs' } as const
    const body = { name: thing.name, region: this.#region, cidr_blocks: ['10.20.0.0/16'] }
    const operation = await this.#do('CREATE', thing, { display_name: '' }, options =>
      client.createVpc({ workspace, engine, body }, options),
    )
    if (operation) this.#vpcs = [...this.#vpcs, { ...thing, id: operation.resource_id }]
  }

  async #updateVpc(vpc: Thing): Promise<void> {
    const { client, workspace } = this.#parts
    const display_name = `change ${this.#count}`
    await this.#do('UPDATE', vpc, { display_name }, options =>
      client.updateVpc({ workspace, engine, id: vpc.id, update_mask: 'display_name', body: { display_name } }, options),
    )
  }

  #stepSubnets(vpc: Thing): Promise<void> {
    if (this.#subnets.length === 0 || (this.#subnets.length < mostSubnets && this.#random.percent(50)))
      return this.#createSubnet(vpc)
    const subnet = this.#random.oneOf(this.#subnets)
    return this.#random.percent(40) ? this.#deleteSubnet(subnet) : this.#updateSubnet(subnet)
  }

  async #createSubnet({ id: vpc_id }: Thing): Promise<void> {
    const { client, name: prefix, workspace } = this.#parts
    const thing = { name: `${prefix}-subnet-${this.#count}`, resourceType: 'subnets' } as const
    // The actor has far fewer subnets than there are blocks, so no two of its subnets overlap.
    const body = { name: thing.name, vpc_id, cidr_block: `10.20.${this.#count % 256}.0/24` }
    const operation = await this.#do('CREATE', thing, { display_name: '' }, options =>
      client.createSubnet({ workspace, engine, body }, options),
    )
    if (operation) this.#subnets = [...this.#subnets, { ...thing, id: operation.resource_id, vpc: vpc_id }]
  }

  async #updateSubnet(subnet: Subnet): Promise<void> {
    const { client, workspace } = this.#parts
    const display_name = `change ${this.#count}`
    await this.#do('UPDATE', subnet, { display_name }, options =>
      client.updateSubnet(
        { workspace, engine, id: subnet.id, update_mask: 'display_name', body: { display_name } },
        options,
      ),
    )
  }

  async #deleteSubnet(subnet: Subnet): Promise<void> {
    const { client, workspace } = this.#parts
    await this.#do('DELETE', subnet, null, options =>
      client.deleteSubnet({ workspace, engine, id: subnet.id }, options),
    )
    this.#subnets = this.#subnets.filter(other => other !== subnet)
  }

  async #deleteVpc(vpc: Thing): Promise<void> {
    const { client, workspace } = this.#parts
    for (const subnet of this.#subnets.filter(each => each.vpc === vpc.id)) await this.#deleteSubnet(subnet)
    await this.#do('DELETE', vpc, null, options => client.deleteVpc({ workspace, engine, id: vpc.id }, options))
    this.#vpcs = this.#vpcs.filter(other => other !== vpc)
  }

  async #stepLimit(): Promise<void> {
    const { client, workspace: scope_id } = this.#parts
    const known = this.#limit
    const thing = { name: `limit of ${this.#region}`, resourceType: 'quotaLimits' } as const
    // The lowest limit is the maximal number of VPCs of the actor, so the quota never refuses a call.
    const limit = mostVpcs + this.#random.below(100)
    const sets = { limit: String(limit) }
    if (known && this.#random.percent(50)) {
      const path = { quota_definition, id: known.id }
      this.#limit = undefined
      await this.#do('DELETE', thing, null, options => client.deleteQuotaLimit(path, options))
    } else if (known) {
      const request = { quota_definition, id: known.id, update_mask: 'limit', body: { limit } }
      await this.#do('UPDATE', thing, sets, options => client.updateQuotaLimit(request, options))
    } else {
      const scope = { scope_type: 'NETWORK_SCOPE_TYPE_WORKSPACE', scope_id } as const
      const body = { ...scope, dimensions: { region: this.#region }, limit }
      const operation = await this.#do('CREATE', thing, sets, options =>
        client.createQuotaLimit({ quota_definition, body }, options),
      )
      this.#limit = operation && { ...thing, id: operation.resource_id }
    }
  }
}
