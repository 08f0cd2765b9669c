import type { Ninefold } from '../../../output/client.ts'
import type { Random } from '../../areas/random.ts'
import type { RandomKind, RandomThing } from '../../areas/random-mutations.ts'
import { absentId, type Tenant } from '../../areas/members.ts'
import { randomFirewall } from './firewall/random-firewall.ts'
import { Places, randomMachines, randomSubnets } from './random-subnets.ts'

const engine = 'native'
const regions = ['local1', 'local2', 'local3']
const blocks = ['10.20.0.0/16', '172.16.0.0/12', '192.168.4.0/24', '100.64.0.0/10']

/** Returns blocks that are valid most of the time: some overlap, some have host bits, some are public. */
const blocksOf = (random: Random): string[] =>
  random.percent(10)
    ? [random.oneOf(['10.20.0.1/16', '8.8.8.0/24', '10.20.0.0/30', '10.0.0.0/8']), '10.20.0.0/16']
    : [random.oneOf(blocks)]

const etagOf = (random: Random): { readonly etag?: string } => (random.percent(10) ? { etag: 'stale' } : {})

/** The workspaces of a run; the run also creates and deletes workspaces, so that purges run concurrently. */
class Workspaces {
  readonly #api: Ninefold
  readonly #organisation: string
  readonly #ids: string[]
  #made = 0

  constructor(api: Ninefold, { organisation, workspace }: Tenant) {
    this.#api = api
    this.#organisation = organisation
    this.#ids = [workspace]
  }

  any(random: Random): string {
    return random.percent(3) ? absentId : random.oneOf(this.#ids)
  }

  readonly kind: RandomKind = {
    name: 'workspace',
    weight: 1,
    refusals: ['WORKSPACE_NOT_FOUND', 'WORKSPACE_STATE_INVALID', 'WORKSPACE_NOT_ACTIVE', 'QUOTA_EXCEEDED'],
    create: async () => {
      const { taxonomy } = this.#api
      const organisation = this.#organisation
      const body = { name: `random-${(this.#made += 1)}` }
      const { resource_id: id } = await taxonomy.createWorkspace({ organisation, body })
      this.#ids.push(id)
      return {
        update: random =>
          taxonomy.updateWorkspace({ organisation, id, body: { display_name: String(random.below(3)) } }),
        delete: async random => {
          // The run forgets most deleted workspaces, because otherwise few calls would find an existing workspace.
          if (random.percent(80) && this.#ids.includes(id)) this.#ids.splice(this.#ids.indexOf(id), 1)
          await taxonomy.archiveWorkspace({ organisation, id, body: {} })
          await taxonomy.deleteWorkspace({ organisation, id, force: true })
        },
      }
    },
  }
}

function vpcs({ network }: Ninefold, workspaces: Workspaces, places: Places): RandomKind {
  return {
    name: 'VPC',
    refusals: [
      'WORKSPACE_NOT_FOUND',
      'WORKSPACE_NOT_ACTIVE',
      'VPC_NOT_FOUND',
      'VPC_ALREADY_EXISTS',
      'VPC_CIDR_INVALID',
      'VPC_CIDR_IN_USE',
      'VPC_IN_USE',
      'ETAG_MISMATCH',
      'QUOTA_EXCEEDED',
    ],
    async create(random) {
      const workspace = workspaces.any(random)
      const body = {
        name: `net-${random.below(12)}`,
        region: random.oneOf(regions),
        cidr_blocks: blocksOf(random),
      }
      const { resource_id: id } = await network.createVpc({ workspace, engine, body })
      places.add({ workspace, id, cidr: body.cidr_blocks[0] ?? '' })
      return thing(
        random => {
          const change = random.percent(50)
            ? { update_mask: 'cidr_blocks', body: { cidr_blocks: blocksOf(random), ...etagOf(random) } }
            : { update_mask: 'mtu', body: { mtu: 1400 + random.below(3), ...etagOf(random) } }
          return network.updateVpc({ workspace, engine, id, ...change })
        },
        random => {
          places.forget(random, id)
          return network.deleteVpc({ workspace, engine, id, ...etagOf(random) })
        },
      )
    },
  }
}

function quotaLimits({ network }: Ninefold, workspaces: Workspaces, { organisation }: Tenant): RandomKind {
  return {
    name: 'quota limit',
    refusals: [
      'QUOTA_DEFINITION_NOT_FOUND',
      'QUOTA_LIMIT_NOT_FOUND',
      'QUOTA_LIMIT_ALREADY_EXISTS',
      'QUOTA_LIMIT_SCOPE_INVALID',
      'QUOTA_LIMIT_DIMENSIONS_INVALID',
      'ETAG_MISMATCH',
    ],
    async create(random) {
      const isOrganisation = random.percent(20)
      const quota_definition = random.percent(5)
        ? 'network.nothing'
        : isOrganisation
          ? 'network.vpcsPerOrganisation'
          : 'network.vpcs'
      const scope =
        random.percent(90) === isOrganisation
          ? ({ scope_type: 'NETWORK_SCOPE_TYPE_ORGANISATION', scope_id: organisation } as const)
          : ({ scope_type: 'NETWORK_SCOPE_TYPE_WORKSPACE', scope_id: workspaces.any(random) } as const)
      const dimensions: Record<string, string> =
        isOrganisation || random.percent(5) ? {} : { region: random.oneOf(regions) }
      const body = { ...scope, dimensions, limit: random.below(12) - 1 }
      const { resource_id: id } = await network.createQuotaLimit({ quota_definition, body })
      return thing(
        random =>
          network.updateQuotaLimit({
            quota_definition,
            id,
            body: { limit: random.below(12) - 1, ...etagOf(random) },
          }),
        random => network.deleteQuotaLimit({ quota_definition, id, ...etagOf(random) }),
      )
    },
  }
}

const thing = (update: RandomThing['update'], remove: RandomThing['delete']): RandomThing => ({
  update,
  delete: remove,
})

/** Returns the random kinds of VPCs, subnets, machines with ports, quota limits and workspaces, in one organisation. */
export function networkKinds(api: Ninefold, tenant: Tenant): readonly RandomKind[] {
  const workspaces = new Workspaces(api, tenant)
  const [networks, subnets] = [new Places(), new Places()]
  return [
    vpcs(api, workspaces, networks),
    randomSubnets(api, networks, subnets),
    randomMachines(api, subnets),
    quotaLimits(api, workspaces, tenant),
    workspaces.kind,
  ]
}

/**
 * Returns the random kinds of firewall policies and rules, of the VPCs and subnets that the rules name, and of
 * workspaces, in one organisation.
 */
export function firewallKinds(api: Ninefold, tenant: Tenant): readonly RandomKind[] {
  const workspaces = new Workspaces(api, tenant)
  const [networks, subnets] = [new Places(), new Places()]
  return [
    vpcs(api, workspaces, networks),
    randomSubnets(api, networks, subnets),
    ...randomFirewall(api, networks, subnets),
    workspaces.kind,
  ]
}
