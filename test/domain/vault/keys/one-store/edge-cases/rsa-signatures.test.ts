import { constants, createHash, createPublicKey, privateEncrypt, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { encodePss } from '../../../../../../domain/vault/keys/rsa-digests.ts'
import type { RsaSignScheme } from '../../../../../../domain/vault/keys/schemes.ts'
import { fitsSignature } from '../../../../../../domain/vault/keys/signatures.ts'
import { pairOf } from '../generated.ts'

const data = Buffer.from('the signed data')
const digest = createHash('sha256').update(data).digest()
const inputs = [{ data }, { digest }]
const info = Buffer.concat([Buffer.from('3031300d060960864801650304020105000420', 'hex'), digest])

/** Returns a block of PKCS #1 v1.5: a block type, padding, a zero and the rest. */
const block = (type: number, padding: Buffer, rest: Buffer): Buffer =>
  Buffer.concat([Buffer.of(0, type), padding, Buffer.of(0), rest])

/** Returns a block whose padding fills the length. */
const filled = (length: number, rest: Buffer, { type = 1, byte = 0xff } = {}): Buffer =>
  block(type, Buffer.alloc(length - 3 - rest.length, byte), rest)

/** Wrong contents of a signature with PKCS #1 v1.5; each has the length of the modulus. */
const contents: readonly (readonly [string, (length: number) => Buffer])[] = [
  ['block type 0', length => filled(length, info, { type: 0 })],
  ['block type 2', length => filled(length, info, { type: 2 })],
  ['padding of zeros', length => filled(length, info, { byte: 0 })],
  ['padding of another byte', length => filled(length, info, { byte: 0xfe })],
  ['short padding and rubbish behind the digest', length => short(length, Buffer.alloc(length, 1))],
  ['short padding and zeros behind the digest', length => short(length, Buffer.alloc(length))],
  ['a digest without its algorithm', length => filled(length, digest)],
  ['parameters that are absent', length => filled(length, renamed('302f300b06096086480165030402010420'))],
  ['the name of SHA-512', length => filled(length, renamed('3031300d060960864801650304020305000420'))],
  ['the name of SHA-1', length => filled(length, renamed('302d300906052b0e03021a05000420'))],
  ['lengths in two bytes (BER)', length => filled(length, renamed('308131300d060960864801650304020105000420'))],
  ['a byte behind the digest', length => filled(length, Buffer.concat([info, Buffer.of(0)]))],
  ['no padding at all', length => Buffer.concat([Buffer.alloc(length - info.length), info])],
  ['no zero before the digest', length => Buffer.concat([filled(length, info).subarray(0, 2), unended(length)])],
]

const renamed = (head: string): Buffer => Buffer.concat([Buffer.from(head, 'hex'), digest])
const unended = (length: number): Buffer => Buffer.concat([Buffer.alloc(length - 2 - info.length, 0xff), info])
const short = (length: number, rest: Buffer): Buffer =>
  block(1, Buffer.alloc(8, 0xff), Buffer.concat([info, rest])).subarray(0, length)

/** Changes of a right content of PSS. */
const spoiled: readonly (readonly [string, (content: Buffer) => void])[] = [
  ['another last byte', content => void (content[content.length - 1] = 0xcc)],
  ['a changed first byte of the masked block', content => flip(content, 0, 0x40)],
  ['a changed byte of the padding', content => flip(content, 10, 1)],
  ['no mark before the salt', content => flip(content, content.length - 66, 1)],
  ['another mark before the salt', content => flip(content, content.length - 66, 2)],
  ['a changed salt', content => flip(content, content.length - 65, 1)],
  ['a changed digest', content => flip(content, content.length - 2, 1)],
]

function flip(bytes: Buffer, at: number, bits: number): void {
  bytes[at] = (bytes[at] ?? 0) ^ bits
}

describe.each([2048, 3072, 4096] as const)('RSA of %i bits', async bits => {
  const pkcs1: RsaSignScheme = { kind: 'rsa-pkcs1', bits, hash: 'sha256' }
  const pss: RsaSignScheme = { kind: 'rsa-pss', bits, hash: 'sha256' }
  const pair = await pairOf(pkcs1)
  const padding = constants.RSA_PKCS1_PSS_PADDING
  const raw = (content: Buffer): Buffer =>
    privateEncrypt({ key: pair.secret, padding: constants.RSA_NO_PADDING }, content)
  const verdicts = (scheme: RsaSignScheme, signature: Buffer): readonly boolean[] =>
    inputs.map(signed => fitsSignature(scheme, pair.public, signed, { encoding: 'der', signature }))

  test('the contents that the next cases change fit', () => {
    expect(verdicts(pkcs1, raw(filled(bits / 8, info)))).toEqual([true, true])
    expect(verdicts(pss, raw(encodePss(pss, digest, Buffer.alloc(32, 7))))).toEqual([true, true])
  })

  test.each(contents)('PKCS #1 with %s is refused', (_, content) => {
    expect(verdicts(pkcs1, raw(content(bits / 8)))).toEqual([false, false])
  })

  test.each(spoiled)('PSS with %s is refused', (_, spoil) => {
    const content = encodePss(pss, digest, Buffer.alloc(32, 7))
    spoil(content)
    expect(verdicts(pss, raw(content))).toEqual([false, false])
  })

  test.each([0, 8, 20, 31, 33, bits / 8 - 34])('PSS with a salt of %i bytes is refused', saltLength => {
    const signature = sign('sha256', data, { key: pair.secret, padding, saltLength })
    expect(verdicts(pss, signature)).toEqual([false, false])
  })

  test('a signature of the other padding is refused', () => {
    expect(verdicts(pss, sign('sha256', data, pair.secret))).toEqual([false, false])
    const signature = sign('sha256', data, { key: pair.secret, padding, saltLength: 32 })
    expect(verdicts(pkcs1, signature)).toEqual([false, false])
  })

  test.each(['sha1', 'sha384', 'sha512'])('a signature with %s is refused', hash => {
    expect(verdicts(pkcs1, sign(hash, data, pair.secret))).toEqual([false, false])
    const signature = sign(hash, data, { key: pair.secret, padding, saltLength: 32 })
    expect(verdicts(pss, signature)).toEqual([false, false])
  })

  test('a signature that is not below the modulus, or is 0 or 1, is refused', () => {
    const modulus = Buffer.from(createPublicKey(pair.secret).export({ format: 'jwk' }).n ?? '', 'base64url')
    const one = Buffer.alloc(bits / 8)
    one[one.length - 1] = 1
    for (const signature of [modulus, Buffer.alloc(bits / 8, 0xff), Buffer.alloc(bits / 8), one])
      for (const scheme of [pkcs1, pss]) expect(verdicts(scheme, signature)).toEqual([false, false])
  })
})

describe('a signature that lacks its leading zero byte', async () => {
  const pair = await pairOf({ kind: 'rsa-pkcs1', bits: 2048, hash: 'sha256' })

  test.each(['rsa-pkcs1', 'rsa-pss'] as const)('is refused with %s', kind => {
    const scheme: RsaSignScheme = { kind, bits: 2048, hash: 'sha256' }
    const key = {
      key: pair.secret,
      padding: constants[kind === 'rsa-pss' ? 'RSA_PKCS1_PSS_PADDING' : 'RSA_PKCS1_PADDING'],
    }
    // Every 256th signature begins with a zero byte; each text has another signature.
    for (let count = 0; ; count += 1) {
      const text = Buffer.from(`text ${count}`)
      const signature = sign('sha256', text, { ...key, saltLength: 32 })
      if (signature[0] !== 0) continue
      for (const signed of [{ data: text }, { digest: createHash('sha256').update(text).digest() }]) {
        const fits = (bytes: Buffer): boolean =>
          fitsSignature(scheme, pair.public, signed, { encoding: 'der', signature: bytes })
        expect([signature, signature.subarray(1), Buffer.concat([Buffer.of(0), signature])].map(fits)).toEqual([
          true,
          false,
          false,
        ])
      }
      return
    }
  })
})
