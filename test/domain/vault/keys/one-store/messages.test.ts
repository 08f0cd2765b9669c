import { createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  decryptMessage,
  encryptMessage,
  readMessage,
  type MessageKey,
} from '../../../../../domain/vault/keys/messages.ts'
import type { CipherScheme } from '../../../../../domain/vault/keys/schemes.ts'

const ciphers: readonly CipherScheme['cipher'][] = ['aes-256-gcm', 'chacha20-poly1305']

const keyOf = (cipher: CipherScheme['cipher'], version = 1): MessageKey => ({
  scheme: { kind: 'cipher', cipher },
  key: randomBytes(16),
  version,
  material: randomBytes(32),
})

const open = (key: MessageKey, ciphertext: string, data: Uint8Array): Buffer | undefined => {
  const message = readMessage(ciphertext)
  return message && decryptMessage(key, message, data)
}

const none = Buffer.alloc(0)

describe.each(ciphers)('%s', cipher => {
  test('any plaintext and additional data come back, and the text names the version', () => {
    const bytes = fc.uint8Array({ maxLength: 300 })
    fc.assert(
      fc.property(bytes, bytes, fc.integer({ min: 1, max: 999_999_999 }), (plaintext, data, version) => {
        const key = keyOf(cipher, version)
        const ciphertext = encryptMessage(key, plaintext, data)
        expect(ciphertext.startsWith(`vault:v${version}:`)).toBe(true)
        expect(open(key, ciphertext, data)).toEqual(Buffer.from(plaintext))
      }),
      { numRuns: 200 },
    )
  })

  test('the longest plaintext and additional data come back', () => {
    const [key, plaintext, data] = [keyOf(cipher), randomBytes(65_536), randomBytes(65_536)]
    expect(open(key, encryptMessage(key, plaintext, data), data)?.equals(plaintext)).toBe(true)
  })

  test('two messages of one plaintext share no salt, nonce or content', () => {
    const key = keyOf(cipher)
    const [one, other] = [1, 2].map(() =>
      readMessage(encryptMessage(key, Buffer.from('a plaintext of some length'), none)),
    )
    for (const part of ['salt', 'nonce', 'content', 'tag'] as const) expect(one?.[part]).not.toEqual(other?.[part])
  })

  test.each([
    ['another key id', (key: MessageKey) => ({ ...key, key: randomBytes(16) })],
    ['another version', (key: MessageKey) => ({ ...key, version: key.version + 1 })],
    ['another material', (key: MessageKey) => ({ ...key, material: randomBytes(32) })],
    [
      'the other cipher',
      (key: MessageKey) => ({ ...keyOf(ciphers.find(name => name !== cipher) ?? cipher), ...pick(key) }),
    ],
  ])('%s opens nothing', (_, changed) => {
    const key = keyOf(cipher)
    expect(open(changed(key), encryptMessage(key, Buffer.from('text'), none), none)).toBeUndefined()
  })

  test('data that moves between additional data and nothing opens nothing', () => {
    const key = keyOf(cipher)
    const ciphertext = encryptMessage(key, Buffer.from('text'), Buffer.from('ab'))
    for (const data of ['', 'a', 'abc', 'ab\0', 'ba']) expect(open(key, ciphertext, Buffer.from(data))).toBeUndefined()
  })

  test('a change of any bit of a message opens nothing', () => {
    const key = keyOf(cipher)
    const ciphertext = encryptMessage(key, Buffer.from('text'), none)
    const bytes = Buffer.from(ciphertext.slice('vault:v1:'.length), 'base64')
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(open(key, `vault:v1:${changed.toString('base64')}`, none)).toBeUndefined()
    }
  })

  test('no prefix of a message opens', () => {
    const key = keyOf(cipher)
    const bytes = Buffer.from(encryptMessage(key, Buffer.from('text'), none).slice('vault:v1:'.length), 'base64')
    for (let length = 0; length < bytes.length; length += 1) {
      const text = `vault:v1:${bytes.subarray(0, length).toString('base64')}`
      expect(open(key, text, none)).toBeUndefined()
    }
  })
})

const pick = ({ key, material, version }: MessageKey) => ({ key, material, version })

test('a message of five bytes has 50 bytes: format, salt, nonce, content, tag', () => {
  const ciphertext = encryptMessage(keyOf('aes-256-gcm'), Buffer.from('hello'), none)
  expect(Buffer.from(ciphertext.slice('vault:v1:'.length), 'base64')).toHaveLength(50)
})

test('the key of a message is derived as SP 800-108 says', () => {
  const [key, plaintext, data] = [keyOf('aes-256-gcm', 7), Buffer.from('text'), Buffer.from('tenant')]
  const message = readMessage(encryptMessage(key, plaintext, data))
  const label = Buffer.from('nf-vault-msg-v1')
  const input = Buffer.concat([
    Buffer.from('00000001', 'hex'),
    label,
    Buffer.of(0),
    message?.salt ?? none,
    Buffer.from('00000100', 'hex'),
  ])
  const derived = createHmac('sha256', key.material).update(input).digest()
  // The derivation with one more zero byte in the input differs, so this comparison can fail.
  const other = createHmac('sha256', key.material).update(input).update(Buffer.of(0)).digest()
  const bound = Buffer.concat([
    Buffer.from('nf-vault-enc-v1\0'),
    key.key,
    Buffer.from('00000007', 'hex'),
    Buffer.from('0000000000000006', 'hex'),
    data,
  ])
  expect(plainAes(derived, message, bound)).toEqual(plaintext)
  expect(() => plainAes(other, message, bound)).toThrow()
})

test.each([
  ['no prefix', 'AA=='],
  ['another prefix', 'transit:v1:AAAA'],
  ['version 0', 'vault:v0:'],
  ['a version with a leading zero', 'vault:v01:'],
  ['a negative version', 'vault:v-1:'],
  ['a version of ten digits', 'vault:v1000000000:'],
  ['no base64', 'vault:v1:!'],
  ['base64url', 'vault:v1:-_'],
  ['no content', 'vault:v1:'],
])('a text with %s is no message', (_, head) => {
  const valid = encryptMessage(keyOf('aes-256-gcm'), Buffer.from('text'), none)
  expect(readMessage(valid)).toBeDefined()
  expect(
    readMessage(`${head}${head.endsWith(':') && head !== 'vault:v1:' ? valid.slice('vault:v1:'.length) : ''}`),
  ).toBeUndefined()
})

test('base64 that is loose is no message', () => {
  const bytes = Buffer.alloc(46, 1)
  const strict = bytes.toString('base64')
  expect(readMessage(`vault:v1:${strict}`)).toBeDefined()
  const loose = [
    strict.replace(/=+$/, ''),
    `${strict}=`,
    ` ${strict}`,
    `${strict}\n`,
    strict.replace(/.(?==)/, bit => (bit === 'B' ? 'C' : 'B')),
  ]
  for (const text of loose) expect(readMessage(`vault:v1:${text}`)).toBeUndefined()
})

/** Decrypts AES-256-GCM by the steps of its own, without the code under test. Throws for a wrong key or data. */
function plainAes(key: Buffer, message: ReturnType<typeof readMessage>, data: Buffer): Buffer {
  if (message === undefined) throw new TypeError('the text is no message')
  const decipher = createDecipheriv('aes-256-gcm', key, message.nonce, { authTagLength: 16 })
  decipher.setAAD(data)
  decipher.setAuthTag(message.tag)
  return Buffer.concat([decipher.update(message.content), decipher.final()])
}
