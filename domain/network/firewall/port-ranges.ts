import type { ProtocolMatch } from '../../../output/network/types.ts'

/** A range of destination ports, both ends included. */
export interface PortRange {
  readonly first: number
  readonly last: number
}

/**
 * Returns the bounds of `443` or `8000-8100`. The schema has checked the form; the bounds may still be out of range or
 * in the wrong order.
 */
export function parsePorts(text: string): PortRange {
  const [first = '', last = first] = text.split('-')
  return { first: Number(first), last: Number(last) }
}

/** The protocol of a packet. OTHER stands for all protocols that only rules for ANY match. */
export type PacketProtocol = 'TCP' | 'UDP' | 'ICMP' | 'OTHER'

/**
 * Returns the ports, or the ICMP types, that a match selects in a protocol; undefined if the match selects no packet of
 * the protocol.
 */
export function selectedIn(match: ProtocolMatch, protocol: PacketProtocol): readonly PortRange[] | undefined {
  if (match.protocol === 'NETWORK_PROTOCOL_ANY') return everything
  if (match.protocol !== `NETWORK_PROTOCOL_${protocol}`) return undefined
  if (match.icmp_type !== undefined) return [{ first: match.icmp_type, last: match.icmp_type }]
  return match.ports.length === 0 ? everything : match.ports.map(parsePorts)
}

const everything: readonly PortRange[] = [{ first: 0, last: 65_535 }]
