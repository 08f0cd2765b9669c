import ipaddr from 'ipaddr.js'
import { parseCidr, type Cidr } from '../../../domain/addresses/cidr.ts'

/**
 * The networks to which no request goes, with a word for messages: all of the special-purpose registries of IANA (RFC
 * 6890) that lead to the host itself, its link or a private network, or to no single host. The networks of documentation
 * lead nowhere, so they need no rule.
 */
const forbidden: readonly (readonly [network: string, what: string])[] = [
  ['0.0.0.0/8', 'an unspecified address'],
  ['10.0.0.0/8', 'a private address'],
  ['100.64.0.0/10', 'an address of a shared network'],
  ['127.0.0.0/8', 'a loopback address'],
  ['169.254.0.0/16', 'a link-local address'],
  ['172.16.0.0/12', 'a private address'],
  ['192.0.0.0/24', 'a reserved address'],
  ['192.88.99.0/24', 'a reserved address'],
  ['192.168.0.0/16', 'a private address'],
  ['198.18.0.0/15', 'an address of a test network'],
  ['224.0.0.0/4', 'a multicast address'],
  ['240.0.0.0/4', 'a reserved address'],
  ['::1/128', 'a loopback address'],
  ['::/96', 'an unspecified address'],
  ['64:ff9b:1::/48', 'an address of a private network'],
  ['100::/64', 'a reserved address'],
  ['2001::/23', 'a reserved address'],
  ['fc00::/7', 'a private address'],
  ['fe80::/10', 'a link-local address'],
  ['fec0::/10', 'a private address'],
  ['ff00::/8', 'a multicast address'],
]

const rules = forbidden.map(([network, what]) => ({ cidr: cidrOf(network), what }))

/** Networks whose addresses contain the IPv4 address to which packets go, with the position of its first byte. */
const translated = [
  { cidr: cidrOf('64:ff9b::/96'), at: 12 },
  { cidr: cidrOf('2002::/16'), at: 2 },
]

/** Decides about addresses; the networks that the operator allows win over all other rules. */
export class AddressRules {
  readonly #allowed: readonly Cidr[]

  /** Takes the networks that the operator allows, in CIDR notation. */
  constructor(networks: readonly string[]) {
    this.#allowed = networks.map(cidrOf)
  }

  /** Returns whether the operator allows an address by name. */
  isAllowed(address: string): boolean {
    return this.#allowed.some(network => network.contains(address))
  }

  /** Returns what an address is, if no request goes there: `a private address`; undefined if requests may go there. */
  fault(address: string): string | undefined {
    if (this.isAllowed(address)) return undefined
    const rule = rules.find(({ cidr }) => cidr.contains(address))
    if (rule) return rule.what
    const network = translated.find(({ cidr }) => cidr.contains(address))
    return network && this.fault(embedded(address, network.at))
  }
}

/** Returns the IPv4 address in an IPv6 address. */
const embedded = (address: string, at: number): string =>
  ipaddr
    .fromByteArray(
      ipaddr
        .parse(address)
        .toByteArray()
        .slice(at, at + 4),
    )
    .toString()

/** Parses a network whose notation is known to be valid. Throws a TypeError for another text. */
function cidrOf(network: string): Cidr {
  const cidr = parseCidr(network)
  if (cidr === undefined) throw new TypeError(`"${network}" is no network in CIDR notation`)
  return cidr
}
