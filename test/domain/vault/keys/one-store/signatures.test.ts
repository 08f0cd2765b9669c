import { createHash, randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { EcEncoding } from '../../../../../domain/vault/keys/ec-digests.ts'
import type { SignScheme } from '../../../../../domain/vault/keys/schemes.ts'
import { digestBytes, fitsSignature, signatureOf, type Signed } from '../../../../../domain/vault/keys/signatures.ts'
import { openssl, opensslVerifies } from './openssl.ts'
import { pairOf, signing, type Pair } from './generated.ts'

const data = Buffer.from('the signed data')

/** Returns the inputs that a scheme signs: data, and a digest unless the scheme is Ed25519. */
function inputsOf(scheme: SignScheme): readonly (readonly [string, Signed])[] {
  if (scheme.kind === 'ed25519') return [['data', { data }]]
  return [
    ['data', { data }],
    ['digest', { digest: createHash(scheme.hash).update(data).digest() }],
  ]
}

const encodingsOf = ({ kind }: SignScheme): readonly EcEncoding[] => (kind === 'ec' ? ['der', 'p1363'] : ['der'])

describe.each(signing)('%s', (_, scheme) => {
  let pair: Pair
  let other: Pair
  beforeAll(async () => {
    ;[pair, other] = await Promise.all([pairOf(scheme), pairOf(scheme)])
  })

  const cells = inputsOf(scheme).flatMap(([form, signed]) =>
    encodingsOf(scheme).map(encoding => [form, encoding, signed] as const),
  )

  test.each(cells)('a signature of %s in %s fits data and digest, and no other key', (_form, encoding, signed) => {
    const signature = signatureOf(scheme, pair.secret, signed, encoding)
    for (const [, same] of inputsOf(scheme)) {
      expect(fitsSignature(scheme, pair.public, same, { encoding, signature })).toBe(true)
      expect(fitsSignature(scheme, other.public, same, { encoding, signature })).toBe(false)
    }
  })

  test.each(cells)('a signature of %s in %s with a changed bit fits nothing', (_form, encoding, signed) => {
    const signature = signatureOf(scheme, pair.secret, signed, encoding)
    for (const [, same] of inputsOf(scheme))
      for (const bit of bitsOf(signature)) {
        const changed = flipped(signature, bit)
        expect(fitsSignature(scheme, pair.public, same, { encoding, signature: changed })).toBe(false)
      }
  })

  test.each(cells)(
    'a signature of %s in %s that is cut, longer, empty or random fits nothing',
    (_form, encoding, signed) => {
      const signature = signatureOf(scheme, pair.secret, signed, encoding)
      const { length } = signature
      const wrong = [
        signature.subarray(1),
        signature.subarray(0, -1),
        Buffer.alloc(0),
        Buffer.alloc(length),
        Buffer.alloc(length, 0xff),
        Buffer.concat([signature, Buffer.of(0)]),
        Buffer.concat([Buffer.of(0), signature]),
        randomBytes(length),
      ]
      for (const [, same] of inputsOf(scheme))
        for (const bytes of wrong)
          expect(fitsSignature(scheme, pair.public, same, { encoding, signature: bytes })).toBe(false)
    },
  )

  test('a digest of another length is refused', () => {
    const bytes = digestBytes(scheme)
    for (const length of [0, 20, 31, 33, 47, 49, 64].filter(length => length !== bytes)) {
      const signed = { digest: randomBytes(length) }
      expect(() => signatureOf(scheme, pair.secret, signed, 'der')).toThrow(RangeError)
      expect(() => fitsSignature(scheme, pair.public, signed, { encoding: 'der', signature: data })).toThrow(RangeError)
    }
  })

  test.runIf(openssl)('openssl accepts each signature, and refuses the signature of other data', () => {
    for (const [, encoding, signed] of cells.filter(([, encoding]) => encoding === 'der')) {
      const signature = signatureOf(scheme, pair.secret, signed, encoding)
      expect(opensslVerifies(scheme, pair.public, data, signature)).toBe(true)
      expect(opensslVerifies(scheme, pair.public, Buffer.from('other data'), signature)).toBe(false)
    }
  })
})

/** Returns a bit of every fourth byte, and of the first four bytes, which hold the form of a signature. */
function bitsOf({ length }: Buffer): readonly number[] {
  const bytes = Array.from({ length }, (_, byte) => byte).filter(byte => byte < 4 || byte % 4 === 0)
  return bytes.map(byte => byte * 8 + (byte % 8))
}

function flipped(bytes: Buffer, bit: number): Buffer {
  const changed = Buffer.from(bytes)
  changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return changed
}
