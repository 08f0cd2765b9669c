import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { seal, unseal, type CipherUse } from '../../../../../../domain/vault/keys/ciphers.ts'
import { fitsMac, macOf } from '../../../../../../domain/vault/keys/macs.ts'
import { generateMaterial } from '../../../../../../domain/vault/keys/material.ts'
import { schemes } from '../../../../../../domain/vault/keys/schemes.ts'
import { decryptBytes, encryptBytes } from '../../../../../../domain/vault/seal/aead.ts'

const data = Buffer.from('the data')

describe.each(['aes-256-gcm', 'chacha20-poly1305'] as const)('%s', cipher => {
  const use: CipherUse = { cipher, key: randomBytes(32), nonce: randomBytes(12), data }
  const { content, tag } = seal(use, Buffer.from('text'))

  test.each([0, 4, 8, 12, 13, 14, 15, 17, 32])('a tag of %i bytes is refused', length => {
    expect(unseal(use, { content, tag })?.toString()).toBe('text')
    expect(unseal(use, { content, tag: Buffer.concat([tag, tag]).subarray(0, length) })).toBeUndefined()
  })

  test.each([0, 8, 11, 13, 16])('a nonce of %i bytes is refused', length => {
    const nonce = Buffer.concat([use.nonce, use.nonce]).subarray(0, length)
    expect(unseal({ ...use, nonce }, { content, tag })).toBeUndefined()
  })

  test('content that moves into the additional data, the nonce or the tag is refused', () => {
    expect(unseal({ ...use, data: Buffer.concat([data, content]) }, { content: Buffer.alloc(0), tag })).toBeUndefined()
    expect(unseal(use, { content: Buffer.concat([content, tag]), tag })).toBeUndefined()
    expect(unseal(use, { content: content.subarray(0, -1), tag })).toBeUndefined()
  })
})

describe('a stored item', () => {
  const key = randomBytes(32)
  const sealed = encryptBytes(key, data, Buffer.from('text'))

  test('does not open if it is cut at either end, or if any bit changes', () => {
    expect(decryptBytes(key, data, sealed)?.toString()).toBe('text')
    for (let length = 0; length < sealed.length; length += 1) {
      expect(decryptBytes(key, data, sealed.subarray(0, length))).toBeUndefined()
      expect(decryptBytes(key, data, sealed.subarray(sealed.length - length))).toBeUndefined()
    }
    for (let bit = 0; bit < 8 * sealed.length; bit += 1) {
      const changed = Buffer.from(sealed)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(decryptBytes(key, data, changed)).toBeUndefined()
    }
  })
})

describe.each(['HMAC_SHA256', 'HMAC_SHA384', 'HMAC_SHA512'] as const)('%s', async name => {
  const scheme = schemes[`VAULT_CRYPTO_KEY_ALGORITHM_${name}`]
  const { secret } = await generateMaterial(scheme)
  const mac = macOf(scheme, secret, data)

  test('has a key and a code as long as the digest', () => {
    expect([secret.length, mac.length]).toEqual([scheme.bytes, scheme.bytes])
  })

  test('a code fits its data only', () => {
    expect(fitsMac(scheme, secret, data, mac)).toBe(true)
    expect(fitsMac(scheme, secret, Buffer.from('other data'), mac)).toBe(false)
    expect(fitsMac(scheme, Buffer.from(secret).fill(0, 0, 1), data, mac)).toBe(secret[0] === 0)
  })

  test('a code that is cut, longer or zero does not fit', () => {
    const lengths = Array.from({ length: mac.length }, (_, length) => mac.subarray(0, length))
    for (const wrong of [...lengths, Buffer.concat([mac, Buffer.of(0)]), Buffer.alloc(mac.length)])
      expect(fitsMac(scheme, secret, data, wrong)).toBe(false)
  })
})
