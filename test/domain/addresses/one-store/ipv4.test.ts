import { assert, constantFrom, integer, property, string, tuple } from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  contains,
  formatAddress,
  overlaps,
  parseAddress,
  parseBlock,
  sizeOf,
  type Ipv4Block,
} from '../../../../domain/addresses/ipv4.ts'

const addresses = integer({ min: 0, max: 2 ** 32 - 1 })
const prefixes = integer({ min: 0, max: 32 })

const blockOf = (text: string): Ipv4Block => {
  const block = parseBlock(text)
  if (block === undefined) throw new Error(`${text} is no block`)
  return block
}

const blocks = tuple(addresses, prefixes).map(([address, prefix]) => blockOf(`${formatAddress(address)}/${prefix}`))

describe('an address', () => {
  it.each([
    ['0.0.0.0', 0],
    ['10.0.0.1', 167_772_161],
    ['255.255.255.255', 4_294_967_295],
  ])('is parsed from %s', (text, value) => {
    expect(parseAddress(text)).toBe(value)
    expect(formatAddress(value)).toBe(text)
  })

  it.each([
    '',
    '10.0.0',
    '10.0.0.256',
    '010.0.0.1',
    '0x0a.0.0.1',
    '10.0.0.1 ',
    '10.0.0.1.2',
    '167772161',
    '::1',
    '-1.0.0.0',
  ])('is not parsed from "%s"', text => expect(parseAddress(text)).toBeUndefined())

  it('is the same after it is formatted and parsed again', () => {
    assert(property(addresses, address => void expect(parseAddress(formatAddress(address))).toBe(address)))
  })

  it('has the same text after it is parsed and formatted again', () => {
    const texts = string({ unit: constantFrom(...'0123456789./x '), maxLength: 18 })
    assert(
      property(texts, text => {
        const address = parseAddress(text)
        if (address !== undefined) expect(formatAddress(address)).toBe(text)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('a block', () => {
  it.each([
    ['0.0.0.0/0', 0, 2 ** 32, true],
    ['10.0.0.0/8', 167_772_160, 2 ** 24, true],
    ['10.0.0.5/24', 167_772_160, 256, false],
    ['10.0.0.5/32', 167_772_165, 1, true],
    ['255.255.255.255/31', 4_294_967_294, 2, false],
  ])('is parsed from %s', (text, first, size, isCanonical) => {
    const block = blockOf(text)
    expect(block).toMatchObject({ first, last: first + size - 1, isCanonical })
    expect(sizeOf(block)).toBe(size)
  })

  it.each([
    '',
    '10.0.0.0',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '/8',
    '10.0.0.0/08 ',
    '::/0',
  ])('is not parsed from "%s"', text => expect(parseBlock(text)).toBeUndefined())

  it('overlaps another block in both directions, exactly if one of them contains the other', () => {
    assert(
      property(blocks, blocks, (one, other) => {
        expect(overlaps(one, other)).toBe(overlaps(other, one))
        // Two CIDR blocks are nested or disjoint.
        expect(overlaps(one, other)).toBe(contains(one, other) || contains(other, one))
      }),
      { numRuns: 1000 },
    )
  })

  it('contains itself and each of its halves, which are disjoint', () => {
    assert(
      property(blocks, block => {
        expect(contains(block, block)).toBe(true)
        if (block.prefix === 32) return
        const half = sizeOf(block) / 2
        const [lower, upper] = [0, half].map(at => blockOf(`${formatAddress(block.first + at)}/${block.prefix + 1}`))
        if (!lower || !upper) throw new Error('the block has no halves')
        expect([contains(block, lower), contains(block, upper), contains(lower, block)]).toEqual([true, true, false])
        expect([overlaps(lower, upper), upper.first - lower.last]).toEqual([false, 1])
      }),
    )
  })
})
