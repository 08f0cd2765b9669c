import { vpcCidrInvalid } from '../../output/network/errors.ts'
import { faultAt } from '../../runtime/errors.ts'
import { contains, overlaps, parseBlock, type Ipv4Block } from '../addresses/ipv4.ts'

/** The address space that VPCs may use (network.md 1). */
const privateTexts = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10']
const privateSpace = privateTexts.flatMap(text => parseBlock(text) ?? [])

/**
 * Throws VPC_CIDR_INVALID at the first text that is no block, is not canonical, is not private, has a prefix that is
 * not from /8 to /28, or overlaps an earlier block.
 */
export function requireBlocks(texts: readonly string[]): void {
  const seen: Ipv4Block[] = []
  for (const [i, text] of texts.entries()) {
    const block = parseBlock(text)
    const fault = block ? faultOf(block, seen) : 'is no block of IPv4 addresses'
    if (fault) throw faultAt(vpcCidrInvalid, `cidr_blocks[${i}]`, `${text} ${fault}`)
    if (block) seen.push(block)
  }
}

function faultOf(block: Ipv4Block, others: readonly Ipv4Block[]): string | undefined {
  if (!block.isCanonical) return 'has host bits; name the first address of the block'
  if (block.prefix < 8 || block.prefix > 28) return 'must be from /8 to /28'
  if (!privateSpace.some(space => contains(space, block))) return `must lie in one of ${privateTexts.join(', ')}`
  return others.some(other => overlaps(other, block))
    ? 'overlaps another block of the VPC; choose blocks beside each other'
    : undefined
}
