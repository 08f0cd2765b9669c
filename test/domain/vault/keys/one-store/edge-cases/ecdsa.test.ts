import { createHash, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { schemes, type EcScheme } from '../../../../../../domain/vault/keys/schemes.ts'
import { fitsSignature } from '../../../../../../domain/vault/keys/signatures.ts'
import { der, integer, padded, sequence } from '../der.ts'
import { pairOf } from '../generated.ts'

const orders = {
  'P-256': 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  'P-384': 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
}
const curves: readonly EcScheme[] = [
  schemes.VAULT_CRYPTO_KEY_ALGORITHM_EC_P256_SHA256,
  schemes.VAULT_CRYPTO_KEY_ALGORITHM_EC_P384_SHA384,
]
const data = Buffer.from('the signed data')

/** Numbers of a signature, made from the numbers r and s of a right signature and the order n. */
type Changed = (r: bigint, s: bigint, n: bigint) => readonly [bigint, bigint]

const pairs: readonly (readonly [string, Changed])[] = [
  ['r is 0', (_, s) => [0n, s]],
  ['s is 0', r => [r, 0n]],
  ['both are 0', () => [0n, 0n]],
  ['r is the order', (_, s, n) => [n, s]],
  ['s is the order', (r, _, n) => [r, n]],
  ['r is the order and 1', (_, s, n) => [n + 1n, s]],
  ['s is the order and 1', (r, _, n) => [r, n + 1n]],
  ['r is larger by the order', (r, s, n) => [r + n, s]],
  ['s is larger by the order', (r, s, n) => [r, s + n]],
  ['r is smaller by the order', (r, s, n) => [r - n, s]],
  ['s is smaller by the order', (r, s, n) => [r, s - n]],
  ['r is negative', (r, s) => [-r, s]],
  ['s is negative', (r, s) => [r, -s]],
  ['s is -1', r => [r, -1n]],
  ['r is the mirrored number', (r, s, n) => [n - r, s]],
  ['r and s are swapped', (r, s) => [s, r]],
  ['both are 1', () => [1n, 1n]],
  ['both are one below the order', (_r, _s, n) => [n - 1n, n - 1n]],
]

/** Spoiled forms of a signature in DER. */
const forms: readonly (readonly [string, (r: bigint, s: bigint) => Buffer])[] = [
  ['a length in two bytes (BER)', (r, s) => Buffer.concat([Buffer.of(0x30, 0x81), der(r, s).subarray(1)])],
  [
    'an indefinite length (BER)',
    (r, s) => Buffer.concat([Buffer.of(0x30, 0x80), integer(r), integer(s), Buffer.of(0, 0)]),
  ],
  ['a length of a number in two bytes (BER)', (r, s) => sequence(longForm(integer(r)), integer(s))],
  ['a length that is too long', (r, s) => withByte(der(r, s), 1, 1)],
  ['a length that is too short', (r, s) => withByte(der(r, s), 1, -1)],
  ['a byte behind the sequence', (r, s) => Buffer.concat([der(r, s), Buffer.of(0)])],
  ['a byte before the sequence', (r, s) => Buffer.concat([Buffer.of(0), der(r, s)])],
  ['bytes behind the numbers', (r, s) => sequence(integer(r), integer(s), Buffer.of(5, 0))],
  ['a number with a superfluous zero', (r, s) => sequence(widened(integer(r), 0), integer(s))],
  ['a negative number with a superfluous byte', (r, s) => sequence(widened(integer(-r), 0xff), integer(s))],
  ['three numbers', (r, s) => sequence(integer(r), integer(s), integer(1n))],
  ['one number', r => sequence(integer(r))],
  ['no number', () => sequence()],
  ['an empty number', (_, s) => sequence(Buffer.of(2, 0), integer(s))],
  ['a set', (r, s) => Buffer.concat([Buffer.of(0x31), der(r, s).subarray(1)])],
  [
    'a text in place of a number',
    (r, s) => sequence(Buffer.concat([Buffer.of(4), integer(r).subarray(1)]), integer(s)),
  ],
  ['a sequence within the sequence', (r, s) => sequence(der(r, s))],
]

const longForm = (number: Buffer): Buffer => Buffer.concat([Buffer.of(2, 0x81, number.length - 2), number.subarray(2)])

const widened = (number: Buffer, byte: number): Buffer =>
  Buffer.concat([Buffer.of(2, number.length - 1, byte), number.subarray(2)])

function withByte(bytes: Buffer, at: number, more: number): Buffer {
  bytes[at] = (bytes[at] ?? 0) + more
  return bytes
}

describe.each(curves.map(scheme => [scheme.curve, scheme] as const))('ECDSA with %s', async (curve, scheme) => {
  const { bytes, hash } = scheme
  const n = orders[curve]
  const pair = await pairOf(scheme)
  const inputs = [{ data }, { digest: createHash(hash).update(data).digest() }]
  const good = sign(hash, data, { key: pair.secret, dsaEncoding: 'ieee-p1363' })
  const numberAt = (at: number): bigint => BigInt(`0x${good.subarray(at, at + bytes).toString('hex')}`)
  const [r, s] = [numberAt(0), numberAt(bytes)]
  const p1363 = (first: bigint, second: bigint): Buffer => Buffer.concat([padded(first, bytes), padded(second, bytes)])
  const verdicts = (encoding: 'der' | 'p1363', signature: Buffer): readonly boolean[] =>
    inputs.map(signed => fitsSignature(scheme, pair.public, signed, { encoding, signature }))

  test('the signature that the next cases change fits, and so does its mirrored form', () => {
    // ECDSA has two signatures for each nonce.
    for (const second of [s, n - s]) {
      expect(verdicts('der', der(r, second))).toEqual([true, true])
      expect(verdicts('p1363', p1363(r, second))).toEqual([true, true])
    }
  })

  test.each(pairs)('a signature is refused if %s', (_, changed) => {
    const [first, second] = changed(r, s, n)
    expect(verdicts('der', der(first, second))).toEqual([false, false])
    // The encoding P1363 has room for numbers of the length of the order only.
    const hasRoom = [first, second].every(number => number >= 0n && number >> BigInt(8 * bytes) === 0n)
    if (hasRoom) expect(verdicts('p1363', p1363(first, second))).toEqual([false, false])
  })

  test.each(forms)('DER with %s is refused', (_, changed) => {
    expect(verdicts('der', changed(r, s))).toEqual([false, false])
  })

  test.each([
    ['no bytes', Buffer.alloc(0)],
    ['one byte less', good.subarray(0, -1)],
    ['one byte more', Buffer.concat([good, Buffer.of(0)])],
    ['a zero byte before each number', Buffer.concat([padded(r, bytes + 1), padded(s, bytes + 1)])],
    ['one number', good.subarray(0, bytes)],
    ['three numbers', Buffer.concat([good, good.subarray(bytes)])],
    ['the length of the other curve', Buffer.concat([good, good]).subarray(0, bytes === 32 ? 96 : 64)],
    ['DER', der(r, s)],
  ])('P1363 with %s is refused', (_, signature) => {
    expect(verdicts('p1363', signature)).toEqual([false, false])
  })

  test('P1363 in place of DER is refused', () => {
    expect(verdicts('der', good)).toEqual([false, false])
  })
})
