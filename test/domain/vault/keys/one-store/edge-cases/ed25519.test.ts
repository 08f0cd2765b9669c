import { createHash, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { schemes } from '../../../../../../domain/vault/keys/schemes.ts'
import { fitsSignature } from '../../../../../../domain/vault/keys/signatures.ts'
import { padded } from '../der.ts'
import { pairOf } from '../generated.ts'

const scheme = schemes.VAULT_CRYPTO_KEY_ALGORITHM_ED25519
const data = Buffer.from('the signed data')
/** The order of the group of the base point. */
const order = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n

/** Returns a number in little-endian bytes. */
const little = (value: bigint): Uint8Array => padded(value, 32).toReversed()
const numberIn = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes.toReversed()).toString('hex')}`)

const none = Buffer.alloc(0)
const sha512 = (...parts: readonly Uint8Array[]): Buffer => createHash('sha512').update(Buffer.concat(parts)).digest()

/** The points of small order in the encoding of RFC 8032: the neutral point, and points of the orders 2, 4 and 8. */
const neutral = '0100000000000000000000000000000000000000000000000000000000000000'
const small = [
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000080',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
]
/** Encodings of the same points that RFC 8032 forbids: y is not below the prime, or x is 0 with the sign bit. */
const forbidden = [
  '0100000000000000000000000000000000000000000000000000000000000080',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
]

describe('Ed25519', async () => {
  const pair = await pairOf(scheme)
  const { d = '', x = '' } = pair.secret.export({ format: 'jwk' })
  const [seed, point] = [d, x].map(text => Buffer.from(text, 'base64url'))
  const good = sign(null, data, pair.secret)
  const [r, s] = [good.subarray(0, 32), numberIn(good.subarray(32))]
  const fits = (signature: Buffer): boolean =>
    fitsSignature(scheme, pair.public, { data }, { encoding: 'der', signature })

  const hashed = sha512(seed ?? none)
  const secret = numberIn(Buffer.of((hashed[0] ?? 0) & 248, ...hashed.subarray(1, 31), ((hashed[31] ?? 0) & 63) | 64))

  /** Returns the second number that the owner of the key sends with a point of small order as the first. */
  const answerTo = (first: Uint8Array): bigint => (numberIn(sha512(first, point ?? none, data)) * secret) % order

  test('the answer of the owner is right: with the nonce of a signature, the answer is its second number', () => {
    const nonce = numberIn(sha512(hashed.subarray(32), data))
    expect((nonce + answerTo(r)) % order).toBe(s)
  })

  test.each([
    ['s and the order', s + order],
    ['the order', order],
    ['the order and 1', order + 1n],
    ['0', 0n],
    ['the largest number', (1n << 256n) - 1n],
    ['s with a high bit', s | (1n << 255n)],
    ['the order less s', order - s],
  ])('a signature whose second number is %s is refused', (_, second) => {
    expect(fits(Buffer.concat([r, little(s)]))).toBe(true)
    expect(fits(Buffer.concat([r, little(second)]))).toBe(false)
  })

  test.each([neutral, ...small, ...forbidden])('the point %s as r, with s 0, fits no generated key', first => {
    expect(fits(Buffer.concat([Buffer.from(first, 'hex'), Buffer.alloc(32)]))).toBe(false)
  })

  test.each([neutral, ...small, ...forbidden])('the point %s as r is refused, even from the owner of the key', hex => {
    const first = Buffer.from(hex, 'hex')
    expect(fits(Buffer.concat([first, little(answerTo(first))]))).toBe(false)
  })

  test.each([0, 32, 63, 65, 128])('a signature of %i bytes is refused', length => {
    expect(fits(Buffer.concat([good, good]).subarray(0, length))).toBe(false)
  })
})
