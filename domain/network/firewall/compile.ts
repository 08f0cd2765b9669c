import type { FirewallAction, FirewallDirectionInput } from '../../../output/network/types.ts'
import { parseBlock } from '../../addresses/ipv4.ts'
import { addTo, IntervalSets, wordsFor, type RuleRange } from './interval-sets.ts'
import { selectedIn, type PacketProtocol } from './port-ranges.ts'
import {
  carries,
  impliedActions,
  inOrder,
  isAnybody,
  isTarget,
  type OrderedRule,
  type PolicyWithRules,
  type SelectedPort,
} from './rule-selection.ts'

/** The policies of a VPC, and the subnets and ports to which their rules refer. */
export interface GuardedVpc {
  readonly policies: readonly PolicyWithRules[]
  /** The CIDR blocks of the subnets, keyed by subnet id. */
  readonly subnets: ReadonlyMap<string, string>
  /**
   * Returns the port of the VPC that has an address, as an unsigned 32-bit integer. A port whose labels or subnet have
   * changed must be another object, because the rules that select a port are cached by the object.
   */
  readonly portAt: (address: number) => SelectedPort | undefined
}

/** The compiled policies of a VPC, keyed by direction. */
export type CompiledPolicies = Readonly<Record<FirewallDirectionInput, CompiledRules>>

/** The decision about a packet. */
export interface RuleVerdict {
  readonly action: FirewallAction
  /** The id of the rule; empty for an implied rule. */
  readonly rule_id: string
}

/**
 * Returns the compiled enabled rules of a VPC. The result is outdated after a change of the policies, subnets or ports.
 */
export function compilePolicies(vpc: GuardedVpc): CompiledPolicies {
  const rules = inOrder(vpc.policies)
  const compiled = (direction: FirewallDirectionInput) => {
    const own = rules.filter(({ rule }) => rule.direction === direction)
    return new CompiledRules(own, vpc, { action: impliedActions[direction], rule_id: '' })
  }
  return {
    NETWORK_FIREWALL_DIRECTION_INGRESS: compiled('NETWORK_FIREWALL_DIRECTION_INGRESS'),
    NETWORK_FIREWALL_DIRECTION_EGRESS: compiled('NETWORK_FIREWALL_DIRECTION_EGRESS'),
  }
}

/**
 * The rules of one direction as bit sets: bit i stands for the i-th rule in the order of evaluation. The first rule
 * that matches a packet is the lowest bit that is set in three sets: the set of the peer address, the set of the
 * protocol and port, and the set of the logical port.
 */
export class CompiledRules {
  readonly #rules: readonly OrderedRule[]
  readonly #verdicts: readonly RuleVerdict[]
  readonly #implied: RuleVerdict
  readonly #portAt: GuardedVpc['portAt']
  readonly #addresses: IntervalSets
  readonly #protocols: Readonly<Record<PacketProtocol, IntervalSets>>
  /** The indexes of the rules that select peers by labels. */
  readonly #labelled: readonly number[]
  readonly #targets = new WeakMap<SelectedPort, Uint32Array>()
  readonly #peers = new WeakMap<SelectedPort, Uint32Array>()
  readonly #words: number
  readonly #byAddress: Uint32Array
  readonly #byProtocol: Uint32Array

  constructor(rules: readonly OrderedRule[], { portAt, subnets }: GuardedVpc, implied: RuleVerdict) {
    const words = wordsFor(rules.length)
    const setsOf = (protocol: PacketProtocol) => new IntervalSets(words, protocolRanges(rules, protocol))
    this.#rules = rules
    this.#verdicts = rules.map(({ rule: { action, id } }) => ({ action, rule_id: id }))
    this.#implied = implied
    this.#portAt = portAt
    this.#addresses = new IntervalSets(words, addressRanges(rules, subnets))
    this.#protocols = { TCP: setsOf('TCP'), UDP: setsOf('UDP'), ICMP: setsOf('ICMP'), OTHER: setsOf('OTHER') }
    this.#labelled = [...rules.entries()].flatMap(([i, { rule }]) =>
      Object.keys(rule.peers?.vm_labels ?? {}).length > 0 ? [i] : [],
    )
    this.#words = words
    this.#byAddress = new Uint32Array(words)
    this.#byProtocol = new Uint32Array(words)
  }

  /** Returns the verdict of the first rule that matches a packet, or else of the implied rule. */
  match(port: SelectedPort, address: number, protocol: PacketProtocol, selector: number): RuleVerdict {
    if (this.#rules.length === 0) return this.#implied
    const targets = this.#targetsOf(port)
    const peers = this.#peersAt(address)
    this.#addresses.read(address, this.#byAddress)
    this.#protocols[protocol].read(selector, this.#byProtocol)
    for (let word = 0; word < this.#words; word += 1) {
      const byPeer = (this.#byAddress[word] ?? 0) | (peers?.[word] ?? 0)
      const matching = byPeer & (this.#byProtocol[word] ?? 0) & (targets[word] ?? 0)
      if (matching !== 0) return this.#verdicts[word * 32 + lowestBit(matching)] ?? this.#implied
    }
    return this.#implied
  }

  #targetsOf(port: SelectedPort): Uint32Array {
    const known = this.#targets.get(port)
    if (known) return known
    const set = new Uint32Array(this.#words)
    for (const [i, { rule }] of this.#rules.entries()) if (isTarget(rule, port)) addTo(set, i)
    this.#targets.set(port, set)
    return set
  }

  /**
   * Returns the set of the rules whose peer labels select the port at an address; undefined if no rule has peer labels
   * or no port has the address.
   */
  #peersAt(address: number): Uint32Array | undefined {
    const port = this.#labelled.length === 0 ? undefined : this.#portAt(address)
    if (port === undefined) return undefined
    const known = this.#peers.get(port)
    if (known) return known
    const set = new Uint32Array(this.#words)
    for (const i of this.#labelled) if (carries(port, this.#rules[i]?.rule.peers?.vm_labels ?? {})) addTo(set, i)
    this.#peers.set(port, set)
    return set
  }
}

/** Returns the index of the lowest bit that is set. */
const lowestBit = (bits: number): number => 31 - Math.clz32(bits & -bits)

function protocolRanges(rules: readonly OrderedRule[], protocol: PacketProtocol): readonly RuleRange[] {
  return [...rules.entries()].flatMap(
    ([
      rule,
      {
        rule: { protocols },
      },
    ]) => protocols.flatMap(match => (selectedIn(match, protocol) ?? []).map(range => ({ rule, ...range }))),
  )
}

/**
 * Returns the addresses that each rule selects by ranges and subnets; a rule without peers selects all addresses.
 * Labels are compared for each packet.
 */
function addressRanges(rules: readonly OrderedRule[], subnets: ReadonlyMap<string, string>): readonly RuleRange[] {
  return [...rules.entries()].flatMap(([index, { rule }]) => {
    if (isAnybody(rule)) return [{ rule: index, first: 0, last: 2 ** 32 - 1 }]
    const { ranges = [], subnet_ids = [] } = rule.peers ?? {}
    const blocks = [...ranges, ...subnet_ids.flatMap(id => subnets.get(id) ?? [])]
    return blocks.flatMap(text => {
      const block = parseBlock(text)
      return block ? [{ rule: index, first: block.first, last: block.last }] : []
    })
  })
}
