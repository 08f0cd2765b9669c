import { constants, createHash, createPublicKey, privateEncrypt, publicEncrypt, randomBytes, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { fitsMac, macOf } from '../../../../../domain/vault/keys/macs.ts'
import { generateMaterial } from '../../../../../domain/vault/keys/material.ts'
import { decryptOaep } from '../../../../../domain/vault/keys/oaep.ts'
import { schemes } from '../../../../../domain/vault/keys/schemes.ts'
import { fitsSignature } from '../../../../../domain/vault/keys/signatures.ts'
import { pairOf } from './generated.ts'

const data = Buffer.from('the signed data')
const digest = createHash('sha256').update(data).digest()
const inputs = [{ data }, { digest }]

const p256 = schemes.VAULT_CRYPTO_KEY_ALGORITHM_EC_P256_SHA256
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

describe('ECDSA', async () => {
  const pair = await pairOf(p256)
  const good = sign('sha256', data, { key: pair.secret, dsaEncoding: 'ieee-p1363' })
  const [r, s] = [good.subarray(0, 32), good.subarray(32)].map(half => BigInt(`0x${half.toString('hex')}`)) as [
    bigint,
    bigint,
  ]

  test.each([
    ['r is 0', 0n, s],
    ['s is 0', r, 0n],
    ['r is the order', order, s],
    ['s is the order', r, order],
    ['s is above the order', r, s + order < 1n << 256n ? s + order : (1n << 256n) - 1n],
    ['r and s are swapped', s, r],
    ['r and s are 1', 1n, 1n],
    ['both are the largest number', (1n << 256n) - 1n, (1n << 256n) - 1n],
  ])('a signature is refused if %s', (_, first, second) => {
    const signature = Buffer.concat([number(first), number(second)])
    for (const signed of inputs) {
      expect(fitsSignature(p256, pair.public, signed, { encoding: 'p1363', signature })).toBe(false)
      expect(fitsSignature(p256, pair.public, signed, { encoding: 'der', signature: der(first, second) })).toBe(false)
    }
  })

  test('the mirrored signature fits, because ECDSA has two signatures for each nonce', () => {
    const signature = Buffer.concat([number(r), number(order - s)])
    for (const signed of inputs)
      expect(fitsSignature(p256, pair.public, signed, { encoding: 'p1363', signature })).toBe(true)
  })

  test.each([
    ['a length in two bytes (BER)', (bytes: Buffer) => Buffer.concat([Buffer.of(0x30, 0x81), bytes.subarray(1)])],
    [
      'an indefinite length (BER)',
      (bytes: Buffer) => Buffer.concat([Buffer.of(0x30, 0x80), bytes.subarray(2), Buffer.of(0, 0)]),
    ],
    ['a byte behind the sequence', (bytes: Buffer) => Buffer.concat([bytes, Buffer.of(0)])],
    [
      'a number with a superfluous zero',
      () => sequence(Buffer.concat([Buffer.of(2, 34, 0, 0), number(r)]), integer(s)),
    ],
    ['a negative number', () => sequence(Buffer.concat([Buffer.of(2, 32), number(r | (1n << 255n))]), integer(s))],
    ['three numbers', () => sequence(integer(r), integer(s), integer(1n))],
    ['one number', () => sequence(integer(r))],
    ['an empty number', () => sequence(Buffer.of(2, 0), integer(s))],
    ['another tag', (bytes: Buffer) => Buffer.concat([Buffer.of(0x31), bytes.subarray(1)])],
  ])('DER with %s is refused', (_, changed) => {
    const strict = der(r, s)
    for (const signed of inputs) {
      expect(fitsSignature(p256, pair.public, signed, { encoding: 'der', signature: strict })).toBe(true)
      expect(fitsSignature(p256, pair.public, signed, { encoding: 'der', signature: changed(strict) })).toBe(false)
    }
  })

  test('a signature in the other encoding is refused', () => {
    for (const signed of inputs) {
      expect(fitsSignature(p256, pair.public, signed, { encoding: 'der', signature: good })).toBe(false)
      expect(fitsSignature(p256, pair.public, signed, { encoding: 'p1363', signature: der(r, s) })).toBe(false)
    }
  })
})

describe('Ed25519', async () => {
  const scheme = schemes.VAULT_CRYPTO_KEY_ALGORITHM_ED25519
  const pair = await pairOf(scheme)
  const good = sign(null, data, pair.secret)
  const group = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n
  const s = BigInt(`0x${Buffer.from(good.subarray(32).toReversed()).toString('hex')}`)

  test('s plus the order of the group is refused, so nobody can change a signature into another', () => {
    const larger = Buffer.from((s + group).toString(16).padStart(64, '0'), 'hex').toReversed()
    const signature = Buffer.concat([good.subarray(0, 32), larger])
    expect(fitsSignature(scheme, pair.public, { data }, { encoding: 'der', signature })).toBe(false)
  })

  /** Points of small order, in the encoding of RFC 8032. */
  const small = [
    '0100000000000000000000000000000000000000000000000000000000000000',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    '0000000000000000000000000000000000000000000000000000000000000080',
    '0000000000000000000000000000000000000000000000000000000000000000',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  ]

  test.each(small)('the point %s as r, with s 0, fits no generated key', point => {
    const signature = Buffer.concat([Buffer.from(point, 'hex'), Buffer.alloc(32)])
    expect(fitsSignature(scheme, pair.public, { data }, { encoding: 'der', signature })).toBe(false)
  })
})

describe('RSA', async () => {
  const pkcs1 = schemes.VAULT_CRYPTO_KEY_ALGORITHM_RSA_PKCS1_2048_SHA256
  const pss = schemes.VAULT_CRYPTO_KEY_ALGORITHM_RSA_PSS_2048_SHA256
  const pair = await pairOf(pkcs1)
  const info = Buffer.concat([Buffer.from('3031300d060960864801650304020105000420', 'hex'), digest])
  const raw = (block: Buffer): Buffer => privateEncrypt({ key: pair.secret, padding: constants.RSA_NO_PADDING }, block)
  const block = (head: number, padding: Buffer, rest: Buffer): Buffer =>
    Buffer.concat([Buffer.of(0, head), padding, Buffer.of(0), rest])
  const filled = (rest: Buffer): Buffer => Buffer.alloc(253 - rest.length, 0xff)

  test('the block that the next cases change fits', () => {
    for (const signed of inputs)
      expect(
        fitsSignature(pkcs1, pair.public, signed, { encoding: 'der', signature: raw(block(1, filled(info), info)) }),
      ).toBe(true)
  })

  test.each([
    ['block type 2', block(2, filled(info), info)],
    ['padding of zeros', block(1, Buffer.alloc(253 - info.length), info)],
    [
      '8 bytes of padding and rubbish behind the digest',
      block(1, Buffer.alloc(8, 0xff), Buffer.concat([info, Buffer.alloc(245 - info.length, 1)])),
    ],
    ['a digest without its algorithm', block(1, filled(digest), digest)],
    [
      'parameters that are absent',
      block(
        1,
        filled(info.subarray(2)),
        Buffer.concat([Buffer.from('302f300b0609608648016503040201', 'hex'), info.subarray(17)]),
      ),
    ],
    ['no padding at all', Buffer.concat([Buffer.alloc(256 - info.length), info])],
  ])('PKCS #1 with %s is refused', (_, wrong) => {
    for (const signed of inputs)
      expect(fitsSignature(pkcs1, pair.public, signed, { encoding: 'der', signature: raw(wrong) })).toBe(false)
  })

  test('a signature that is not below the modulus is refused', () => {
    const modulus = Buffer.from(createPublicKey(pair.secret).export({ format: 'jwk' }).n ?? '', 'base64url')
    for (const scheme of [pkcs1, pss])
      for (const signed of inputs)
        expect(fitsSignature(scheme, pair.public, signed, { encoding: 'der', signature: modulus })).toBe(false)
  })

  test.each([0, 20, 31, 33, 222])('PSS with a salt of %i bytes is refused', saltLength => {
    const signature = sign('sha256', data, { key: pair.secret, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength })
    for (const signed of inputs)
      expect(fitsSignature(pss, pair.public, signed, { encoding: 'der', signature })).toBe(false)
  })

  test('a signature that lacks its leading zero byte is refused', () => {
    let signature = Buffer.of(1)
    // Every 256th signature begins with a zero byte; PSS makes a new signature each time.
    while (signature[0] !== 0)
      signature = sign('sha256', data, {
        key: pair.secret,
        padding: constants.RSA_PKCS1_PSS_PADDING,
        saltLength: 32,
      })
    for (const signed of inputs) {
      expect(fitsSignature(pss, pair.public, signed, { encoding: 'der', signature })).toBe(true)
      const cut = signature.subarray(1)
      expect(fitsSignature(pss, pair.public, signed, { encoding: 'der', signature: cut })).toBe(false)
    }
  })

  test('a signature of the other padding is refused', () => {
    const signature = sign('sha256', data, pair.secret)
    for (const signed of inputs)
      expect(fitsSignature(pss, pair.public, signed, { encoding: 'der', signature })).toBe(false)
  })

  test('OAEP opens a message of SHA-256, and no other padding, hash or label', () => {
    const message = Buffer.from('a key')
    const oaep = { key: pair.public, padding: constants.RSA_PKCS1_OAEP_PADDING }
    expect(decryptOaep(pair.secret, publicEncrypt({ ...oaep, oaepHash: 'sha256' }, message))).toEqual(message)
    const wrong = [
      publicEncrypt({ ...oaep, oaepHash: 'sha1' }, message),
      publicEncrypt({ ...oaep, oaepHash: 'sha256', oaepLabel: Buffer.from('label') }, message),
      publicEncrypt({ key: pair.public, padding: constants.RSA_PKCS1_PADDING }, message),
      Buffer.alloc(0),
      Buffer.alloc(256),
      Buffer.alloc(256, 0xff),
      randomBytes(255),
      randomBytes(257),
    ]
    for (const ciphertext of wrong) expect(decryptOaep(pair.secret, ciphertext)).toBeUndefined()
  })
})

describe.each(['HMAC_SHA256', 'HMAC_SHA384', 'HMAC_SHA512'] as const)('%s', async name => {
  const scheme = schemes[`VAULT_CRYPTO_KEY_ALGORITHM_${name}`]
  const { secret } = await generateMaterial(scheme)

  test('has a key and a code as long as the digest', () => {
    expect([secret.length, macOf(scheme, secret, data).length]).toEqual([scheme.bytes, scheme.bytes])
  })

  test('a code fits its data only, and at its full length only', () => {
    const mac = macOf(scheme, secret, data)
    expect(fitsMac(scheme, secret, data, mac)).toBe(true)
    expect(fitsMac(scheme, secret, Buffer.from('other data'), mac)).toBe(false)
    for (const wrong of [
      mac.subarray(0, -1),
      mac.subarray(0, 16),
      Buffer.alloc(0),
      Buffer.concat([mac, Buffer.of(0)]),
      Buffer.alloc(mac.length),
    ])
      expect(fitsMac(scheme, secret, data, wrong)).toBe(false)
  })
})

/** Returns a number in 32 bytes. */
const number = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex')

/** Returns a number as an INTEGER of DER. */
function integer(value: bigint): Buffer {
  const hex = value.toString(16)
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
  const content = (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes
  return Buffer.concat([Buffer.of(2, content.length), content])
}

function sequence(...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.of(0x30, content.length), content])
}

const der = (r: bigint, s: bigint): Buffer => sequence(integer(r), integer(s))
