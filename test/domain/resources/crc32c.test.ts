import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { combineCrc32c, crc32c, crc32cText } from '../../../domain/resources/crc32c.ts'

const bytes = fc.uint8Array({ maxLength: 200 })

/** A checksum bit by bit, after the definition in RFC 3720. */
function slow(of: Uint8Array): number {
  let rest = 0xffffffff
  for (const byte of of) {
    rest ^= byte
    for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0x82f63b78 : rest >>> 1
  }
  return ~rest >>> 0
}

describe('CRC-32C', () => {
  it.each([
    // RFC 3720, appendix B.4.
    ['32 zero bytes', new Uint8Array(32), 0x8a9136aa],
    ['32 bytes of ones', new Uint8Array(32).fill(0xff), 0x62a8ab43],
    ['rising bytes', Uint8Array.from({ length: 32 }, (_, at) => at), 0x46dd794e],
    ['falling bytes', Uint8Array.from({ length: 32 }, (_, at) => 31 - at), 0x113fdb5c],
    ['the digits from 1 to 9', new TextEncoder().encode('123456789'), 0xe3069283],
    ['nothing', new Uint8Array(0), 0],
  ])('is right for %s', (_, of, expected) => {
    expect(crc32c(of)).toBe(expected)
  })

  it('agrees with the definition, whatever pieces the bytes come in', () => {
    fc.assert(
      fc.property(bytes, bytes, (first, second) => {
        const whole = Buffer.concat([first, second])
        expect(crc32c(whole)).toBe(slow(whole))
        expect(crc32c(second, crc32c(first))).toBe(slow(whole))
      }),
    )
  })

  it('combines the checksums of two pieces', () => {
    fc.assert(
      fc.property(bytes, bytes, (first, second) => {
        expect(combineCrc32c(crc32c(first), crc32c(second), second.length)).toBe(crc32c(Buffer.concat([first, second])))
      }),
    )
    const zeros = new Uint8Array(5_242_880)
    expect(combineCrc32c(crc32c(zeros), 0, 0)).toBe(crc32c(zeros))
    expect(combineCrc32c(0, crc32c(zeros), zeros.length)).toBe(crc32c(zeros))
  })

  it('is written as Base64, most significant byte first', () => {
    expect(crc32cText(0xe3069283)).toBe('4waSgw==')
  })
})
