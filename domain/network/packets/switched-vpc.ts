import { compilePolicies, type CompiledPolicies } from '../firewall/compile.ts'
import { inOrder, type PolicyWithRules, type SelectedPort } from '../firewall/rule-selection.ts'
import { addressOf, blockOf } from '../subnets/address-plan.ts'
import { gatewayMac, parseMac, type Mac } from './mac.ts'

/** The rows of a VPC that the switch needs, as plain data that can be sent to a thread. */
export interface VpcRows {
  readonly id: string
  readonly mtu: number
  readonly subnets: readonly SubnetRow[]
  readonly ports: readonly PortRow[]
  /** The enabled policies with their enabled rules. */
  readonly policies: readonly PolicyWithRules[]
}

/** The members of a subnet that the switch needs. */
export interface SubnetRow {
  readonly id: string
  readonly cidr_block: string
  readonly gateway_address: string
  readonly dns_servers: readonly string[]
}

/** The members of a logical port that the switch needs. */
export interface PortRow extends SelectedPort {
  readonly id: string
  readonly mac_address: string
}

/** A subnet, with addresses as signed 32-bit integers. */
export interface SwitchedSubnet {
  readonly id: string
  readonly mtu: number
  readonly mask: number
  readonly broadcast: number
  readonly gateway: number
  readonly gatewayMac: Mac
  /** The next-to-last address, which is the address of the resolver. */
  readonly resolver: number
  /** The name servers for guests: those of the subnet, or else the resolver. */
  readonly nameServers: readonly number[]
}

/** A logical port, with addresses as signed 32-bit integers. */
export interface SwitchedPort extends SelectedPort {
  readonly id: string
  readonly address: number
  readonly mac: Mac
  readonly subnet: SwitchedSubnet
}

/** A VPC as the switch uses it. A change of the rows makes another object. */
export interface SwitchedVpc {
  readonly id: string
  /** The ports, keyed by address. */
  readonly byAddress: ReadonlyMap<number, SwitchedPort>
  /** The ports, keyed by id. */
  readonly byId: ReadonlyMap<string, SwitchedPort>
  /** The subnets, keyed by the addresses of their gateways and resolvers. */
  readonly services: ReadonlyMap<number, SwitchedSubnet>
  readonly rules: CompiledPolicies
  /** The ids of the rules whose new connections are logged. */
  readonly logged: ReadonlySet<string>
}

/**
 * Returns a VPC as the switch uses it. A port whose subnet is not among the rows is left out. Throws for an address or
 * block that cannot be parsed.
 */
export function switchedVpc({ id, mtu, policies, ports, subnets }: VpcRows): SwitchedVpc {
  const bySubnet = new Map(subnets.map(row => [row.id, switchedSubnet(row, mtu)]))
  const switched = ports.flatMap((row): SwitchedPort[] => {
    const subnet = bySubnet.get(row.subnet_id)
    return subnet ? [{ ...row, subnet, address: addressOf(row.ip_address) | 0, mac: parseMac(row.mac_address) }] : []
  })
  const byAddress = new Map(switched.map(port => [port.address, port]))
  const blocks = new Map(subnets.map(subnet => [subnet.id, subnet.cidr_block]))
  const places = [...bySubnet.values()]
  return {
    id,
    byAddress,
    byId: new Map(switched.map(port => [port.id, port])),
    services: new Map(places.flatMap(place => [[place.gateway, place] as const, [place.resolver, place] as const])),
    rules: compilePolicies({ policies, subnets: blocks, portAt: address => byAddress.get(address | 0) }),
    logged: new Set(inOrder(policies).flatMap(({ rule }) => (rule.log ? [rule.id] : []))),
  }
}

function switchedSubnet({ cidr_block, dns_servers, gateway_address, id }: SubnetRow, mtu: number): SwitchedSubnet {
  const { first, last } = blockOf(cidr_block)
  const resolver = (last - 1) | 0
  return {
    id,
    mtu,
    mask: ~(last - first),
    broadcast: last | 0,
    gateway: addressOf(gateway_address) | 0,
    gatewayMac: gatewayMac(id),
    resolver,
    nameServers: dns_servers.length === 0 ? [resolver] : dns_servers.map(text => addressOf(text) | 0),
  }
}
