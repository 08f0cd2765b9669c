import { formatAddress, parseBlock } from '../../../domain/addresses/ipv4.ts'
import type { Ninefold } from '../../../output/client.ts'
import type { Random } from '../../areas/random.ts'
import type { RandomKind } from '../../areas/random-mutations.ts'
import { callsOf } from './machines/tenant-network.ts'

const engine = 'native'

/** A VPC or subnet of a run, in which the run creates further resources. */
export interface Place {
  readonly workspace: string
  readonly id: string
  readonly cidr: string
}

/**
 * The places of a run. The run forgets most deleted places, because otherwise few calls would find an existing place.
 */
export class Places {
  readonly #all: Place[] = []

  add(place: Place): void {
    this.#all.push(place)
  }

  forget(random: Random, id: string): void {
    const at = this.#all.findIndex(place => place.id === id)
    if (at >= 0 && random.percent(80)) this.#all.splice(at, 1)
  }

  /** Returns a random place, or a place that does not exist if the run has no place. */
  any(random: Random): Place {
    const nowhere = '01900000-0000-7000-8000-0000000000fe'
    return this.#all.length === 0 ? { workspace: nowhere, id: nowhere, cidr: '10.20.0.0/16' } : random.oneOf(this.#all)
  }
}

const shared = ['WORKSPACE_NOT_FOUND', 'WORKSPACE_NOT_ACTIVE', 'QUOTA_EXCEEDED']

const firstOf = (cidr: string): number => parseBlock(cidr)?.first ?? 0

/**
 * Returns a random block near the start of the VPC. Blocks may overlap; a few are too small, have host bits or lie
 * outside the VPC.
 */
function blockIn(random: Random, vpc: string): string {
  const prefix = random.percent(3) ? 30 : 26 + random.below(4)
  const size = 2 ** (32 - prefix)
  const offset = random.percent(3) ? 2 ** 24 : random.below(512 / size) * size
  return `${formatAddress(firstOf(vpc) + offset + (random.percent(3) ? 1 : 0))}/${prefix}`
}

/** Returns up to three ranges: some overlap or are inverted, and some lie outside a small subnet. */
function rangesIn(random: Random, cidr: string) {
  const first = firstOf(cidr)
  const size = 2 ** (32 - Number(cidr.split('/')[1]))
  return Array.from({ length: random.below(4) }, (_, i) => {
    const start = first + Math.floor((i * size) / 3) + random.below(3)
    const end = random.percent(5) ? start - 1 : start + random.below(Math.max(1, size / 3 - 3))
    return { start: formatAddress(start), ...(random.percent(70) && { end: formatAddress(end) }) }
  })
}

const etagOf = (random: Random): { readonly etag?: string } => (random.percent(5) ? { etag: 'stale' } : {})

/** Returns the random kind of subnets in random VPCs. */
export const randomSubnets = ({ network }: Ninefold, vpcs: Places, subnets: Places): RandomKind => ({
  name: 'subnet',
  weight: 15,
  refusals: [
    ...shared,
    'VPC_NOT_FOUND',
    'ETAG_MISMATCH',
    ...['NOT_FOUND', 'ALREADY_EXISTS', 'IN_USE', 'CIDR_INVALID', 'CIDR_OUTSIDE_VPC'].map(end => `SUBNET_${end}`),
    ...['CIDR_OVERLAP', 'GATEWAY_INVALID', 'RESERVED_RANGE_INVALID'].map(end => `SUBNET_${end}`),
  ],
  async create(random) {
    const { cidr, id: vpc_id, workspace } = vpcs.any(random)
    const cidr_block = blockIn(random, cidr)
    const gateway = random.percent(30) && { gateway_address: formatAddress(firstOf(cidr_block) + random.below(8)) }
    const reserved = random.percent(50) && { reserved_ranges: rangesIn(random, cidr_block) }
    const body = { name: `s-${random.below(30)}`, vpc_id, cidr_block, ...gateway, ...reserved }
    const { resource_id: id } = await network.createSubnet({ workspace, engine, body })
    subnets.add({ workspace, id, cidr: cidr_block })
    return {
      update(random) {
        const change = random.percent(70)
          ? { update_mask: 'reserved_ranges', body: { reserved_ranges: rangesIn(random, cidr_block) } }
          : { update_mask: 'dns_servers', body: { dns_servers: [`9.9.9.${random.below(3)}`] } }
        return network.updateSubnet({ workspace, engine, id, ...change, body: { ...change.body, ...etagOf(random) } })
      },
      delete(random) {
        subnets.forget(random, id)
        return network.deleteSubnet({ workspace, engine, id, ...etagOf(random) })
      },
    }
  },
})

/** Returns the random kind of machines with one port each. */
export const randomMachines = (api: Ninefold, subnets: Places): RandomKind => {
  let made = 0
  return {
    name: 'machine',
    weight: 30,
    refusals: [
      ...shared,
      'VM_NOT_FOUND',
      'VM_STATE_INVALID',
      'VM_SUBNET_NOT_FOUND',
      'SUBNET_EXHAUSTED',
      'IP_ADDRESS_IN_USE',
      'IP_ADDRESS_NOT_ASSIGNABLE',
    ],
    async create(random) {
      const { cidr, id: subnet, workspace } = subnets.any(random)
      const asked = random.percent(40) ? formatAddress(firstOf(cidr) + random.below(12)) : undefined
      const id = await callsOf(api, workspace).machine(`m-${(made += 1)}`, subnet, asked)
      const { compute } = api
      return {
        update(random) {
          if (random.percent(40)) return compute.startVm({ workspace, id, body: {} })
          if (random.percent(40)) return compute.stopVm({ workspace, id, body: {} })
          const body = { labels: { tier: String(random.below(3)) } }
          return compute.updateVm({ workspace, id, update_mask: 'labels', body })
        },
        delete: () => compute.deleteVm({ workspace, id }),
      }
    },
  }
}
