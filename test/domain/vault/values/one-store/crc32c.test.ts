import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { crc32c } from '../../../../../domain/resources/crc32c.ts'

/** Returns the CRC-32C of bytes, bit by bit. */
function slowly(bytes: Uint8Array): number {
  let sum = 0xffffffff
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0x82f63b78 : 0)
  }
  return ~sum >>> 0
}

test.each([
  ['', 0],
  ['123456789', 3_808_858_755],
  ['hello', 2_591_144_780],
])('the checksum of "%s" is %i', (text, sum) => {
  expect(crc32c(Buffer.from(text))).toBe(sum)
})

test('the checksums of the examples of RFC 3720 are right', () => {
  const rising = Uint8Array.from({ length: 32 }, (_, i) => i)
  expect([Buffer.alloc(32), Buffer.alloc(32, 0xff), rising, rising.toReversed()].map(bytes => crc32c(bytes))).toEqual([
    0x8a9136aa, 0x62a8ab43, 0x46dd794e, 0x113fdb5c,
  ])
})

test('the checksum of bytes of every length, at every offset in their memory, is the checksum bit by bit', () => {
  for (let length = 0; length < 70; length += 1)
    for (let offset = 0; offset < 5; offset += 1) {
      const bytes = randomBytes(length + offset).subarray(offset)
      expect(crc32c(bytes)).toBe(slowly(bytes))
    }
  const large = randomBytes(65_537)
  expect(crc32c(large)).toBe(slowly(large))
})
