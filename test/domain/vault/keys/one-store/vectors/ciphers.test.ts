import { describe, test } from 'vitest'
import { nonceBytes, seal, tagBytes, unseal, type CipherUse } from '../../../../../../domain/vault/keys/ciphers.ts'
import { decryptBytes } from '../../../../../../domain/vault/seal/aead.ts'
import { blocksOf, bytesIn, folder, readVectors, type Block } from './vector-files.ts'
import { Verdicts } from './verdicts.ts'

interface Vector {
  readonly use: CipherUse
  readonly content: Buffer
  readonly tag: Buffer
  readonly plaintext: Buffer
}

/** Returns the vectors of AES-256-GCM in a file of NIST; a vector that must be refused has no plaintext. */
function aesVectors(path: string): readonly (readonly [Vector, Block])[] {
  return blocksOf(readVectors(path))
    .filter(({ members }) => 'Key' in members)
    .map(block => {
      const [key, nonce, data, content, tag] = ['Key', 'IV', 'AAD', 'CT', 'Tag'].map(name => bytesIn(block, name))
      const plaintext = 'PT' in block.members ? bytesIn(block, 'PT') : Buffer.alloc(0)
      if (!key || !nonce || !data || !content || !tag) throw new Error('a part is absent')
      return [{ use: { cipher: 'aes-256-gcm', key, nonce, data }, content, tag, plaintext }, block] as const
    })
}

const labelOf = ({ head, members }: Block): string => `${head.join()} ${members['Count'] ?? members['COUNT']}`

const hasOurForm = ({ tag, use }: Vector): boolean => use.nonce.length === nonceBytes && tag.length === tagBytes

/** Whether our code opens a vector, and returns its plaintext. */
const opens = ({ content, plaintext, tag, use }: Vector): boolean =>
  unseal(use, { content, tag })?.equals(plaintext) === true

/** Whether our code encrypts the plaintext of a vector to the bytes of the vector. */
function encrypts({ content, plaintext, tag, use }: Vector): boolean {
  const made = seal(use, plaintext)
  return made.content.equals(content) && made.tag.subarray(0, tag.length).equals(tag)
}

describe.skipIf(folder === undefined)('the vectors', () => {
  test('of AES-256-GCM (NIST, decryption) are judged right; short tags and other nonces are refused', () => {
    const [message, item] = [new Verdicts('AES-256-GCM, decrypt'), new Verdicts('AES-256-GCM, stored item')]
    for (const [vector, block] of aesVectors('ciphers/AES/GCM/gcmDecrypt256.rsp')) {
      const wanted = hasOurForm(vector) && !('FAIL' in block.members)
      message.add(labelOf(block), wanted, opens(vector))
      const { content, plaintext, tag, use } = vector
      const opened = decryptBytes(use.key, use.data, Buffer.concat([use.nonce, content, tag]))
      item.add(labelOf(block), wanted, opened?.equals(plaintext) === true)
    }
    message.end(184, 7691)
    item.end(184, 7691)
  })

  test('of AES-256-GCM (NIST, encryption) are made again', () => {
    const verdicts = new Verdicts('AES-256-GCM, encrypt')
    for (const [vector, block] of aesVectors('ciphers/AES/GCM/gcmEncryptExtIV256.rsp'))
      if (vector.use.nonce.length === nonceBytes) verdicts.add(labelOf(block), true, encrypts(vector))
    verdicts.end(2625, 0)
  })

  test('of ChaCha20-Poly1305 (RFC 7539, BoringSSL, OpenSSL) are judged right, and made again', () => {
    const verdicts = new Verdicts('ChaCha20-Poly1305')
    const files = [
      ['boringssl.txt', ['KEY', 'NONCE', 'AD', 'CT', 'TAG', 'IN']],
      ['openssl.txt', ['Key', 'IV', 'AAD', 'Ciphertext', 'Tag', 'Plaintext']],
    ] as const
    for (const [file, names] of files)
      for (const block of blocksOf(readVectors(`ciphers/ChaCha20Poly1305/${file}`))) {
        const [key, nonce, data, content, tag, plaintext] = names.map(name => bytesIn(block, name))
        if (!key || !nonce || !data || !content || !tag || !plaintext) throw new Error('a part is absent')
        const vector: Vector = { use: { cipher: 'chacha20-poly1305', key, nonce, data }, content, tag, plaintext }
        const wanted = hasOurForm(vector) && block.members['Result'] === undefined
        verdicts.add(`${file} ${labelOf(block)}`, wanted, opens(vector))
        if (wanted) verdicts.add(`${file} ${labelOf(block)}, encrypted`, true, encrypts(vector))
      }
    verdicts.end(140, 1)
  })
})
