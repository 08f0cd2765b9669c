import { constants, createHash, createPublicKey, publicEncrypt, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { decryptOaep } from '../../../../../../domain/vault/keys/oaep.ts'
import type { OaepScheme } from '../../../../../../domain/vault/keys/schemes.ts'
import { pairOf } from '../generated.ts'

const message = Buffer.from('a key')
const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

/** The parts of a block of OAEP (RFC 8017, 7.1.1), which the cases change before they are masked. */
interface Parts {
  readonly first: number
  readonly label: Buffer
  readonly padding: number
  readonly mark: number
}

const right: Parts = { first: 0, label: sha256(Buffer.alloc(0)), padding: 0, mark: 1 }

function masked(bytes: Buffer, seed: Buffer): Buffer {
  const mask = Array.from({ length: Math.ceil(bytes.length / 32) }, (_, count) =>
    sha256(Buffer.concat([seed, Buffer.of(0, 0, 0, count)])),
  )
  const all = Buffer.concat(mask)
  return bytes.map((byte, i) => byte ^ (all[i] ?? 0)) as Buffer
}

function blockOf({ first, label, mark, padding }: Parts, length: number): Buffer {
  const seed = randomBytes(32)
  const filling = Buffer.alloc(length - 2 - 64 - message.length, padding)
  const data = masked(Buffer.concat([label, filling, Buffer.of(mark), message]), seed)
  return Buffer.concat([Buffer.of(first), masked(seed, data), data])
}

describe.each([2048, 3072, 4096] as const)('OAEP of %i bits', async bits => {
  const scheme: OaepScheme = { kind: 'rsa-oaep', bits }
  const pair = await pairOf(scheme)
  const length = bits / 8
  const oaep = { key: pair.public, padding: constants.RSA_PKCS1_OAEP_PADDING }
  const opened = (ciphertext: Buffer): Buffer | undefined => decryptOaep(pair.secret, ciphertext)
  const raw = (parts: Parts): Buffer =>
    publicEncrypt({ key: pair.public, padding: constants.RSA_NO_PADDING }, blockOf(parts, length))

  test('a message of SHA-256 opens, and so does the block that the next cases change', () => {
    expect(opened(publicEncrypt({ ...oaep, oaepHash: 'sha256' }, message))).toEqual(message)
    expect(opened(raw(right))).toEqual(message)
    expect(opened(publicEncrypt({ ...oaep, oaepHash: 'sha256' }, Buffer.alloc(0)))).toEqual(Buffer.alloc(0))
  })

  test.each<[string, Partial<Parts>]>([
    ['the first byte is 1', { first: 1 }],
    ['the label is another', { label: sha256(Buffer.from('label')) }],
    ['the padding has other bytes than zeros', { padding: 2 }],
    ['the mark is 0', { mark: 0 }],
    ['the mark is 2', { mark: 2 }],
  ])('a block is refused if %s', (_, changed) => {
    expect(opened(raw({ ...right, ...changed }))).not.toEqual(message)
    expect(opened(raw({ ...right, ...changed }))).toBeUndefined()
  })

  test.each<[string, () => Buffer]>([
    ['of SHA-1', () => publicEncrypt({ ...oaep, oaepHash: 'sha1' }, message)],
    ['of SHA-512', () => publicEncrypt({ ...oaep, oaepHash: 'sha512' }, message)],
    ['with a label', () => publicEncrypt({ ...oaep, oaepHash: 'sha256', oaepLabel: Buffer.of(1) }, message)],
    ['of PKCS #1 v1.5', () => publicEncrypt({ key: pair.public, padding: constants.RSA_PKCS1_PADDING }, message)],
    ['of no bytes', () => Buffer.alloc(0)],
    ['of zeros', () => Buffer.alloc(length)],
    ['of the largest bytes', () => Buffer.alloc(length, 0xff)],
    [
      'as large as the modulus',
      () => Buffer.from(createPublicKey(pair.secret).export({ format: 'jwk' }).n ?? '', 'base64url'),
    ],
    ['of random bytes', () => randomBytes(length)],
    ['with a byte less', () => publicEncrypt({ ...oaep, oaepHash: 'sha256' }, message).subarray(1)],
    ['with a zero more', () => Buffer.concat([Buffer.of(0), publicEncrypt({ ...oaep, oaepHash: 'sha256' }, message)])],
  ])('a ciphertext %s is refused', (_, ciphertext) => {
    expect(opened(ciphertext())).toBeUndefined()
  })
})
