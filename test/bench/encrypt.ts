import { createCipheriv, createSecretKey, randomBytes, randomFillSync, type KeyObject } from 'node:crypto'
import { measureRounds, median, type Contender } from './measuring/rounds.ts'
import { printGroup, printRatio } from './measuring/table.ts'
import { vaultPlatform } from './measuring/vault-platform.ts'

/**
 * This program prints the CPU time of an encryption of 1 KiB by a server without a socket on SQLite, compared with a
 * bare encryption by `node:crypto` and one authorised call: the cheapest call with a body of the same size, because an
 * encryption is a call with a body, and a read of the same key, which is the cheapest call of all. The limit is 1.5 times
 * the first of both. The bare encryption gives
 * Node.js the bytes of the key; with a `KeyObject`, which cannot be overwritten after its use, the encryption takes less
 * time.
 */

const limit = 1.5
const size = 1024

const platform = await vaultPlatform()
try {
  const { answer, create, keys, request } = platform
  const [key, mac] = [await create('bench', 'ENCRYPT_DECRYPT'), await create('bench-mac', 'MAC')]
  const data = randomBytes(size)
  const plaintext = data.toString('base64')
  const { ciphertext } = await platform.api.vault.encrypt({ ...platform.at, id: key, body: { plaintext } })
  const call = (name: string, made: ReturnType<typeof request>): Contender => ({
    name,
    units: 1,
    run: () => answer(made(), 200),
  })
  const material = randomBytes(32)
  const length = JSON.stringify({ plaintext }).length
  const padded = `${'{"length_bytes":1'.padEnd(length - 1)}}`
  const keyObject = createSecretKey(material)
  const contenders: readonly Contender[] = [
    { name: 'node:crypto: AES-256-GCM of 1 KiB', units: 1, run: () => bare(material, data) },
    { name: 'node:crypto: the same with a KeyObject', units: 1, run: () => bare(keyObject, data) },
    call('getCryptoKey', request('GET', `${keys}/${key}`)),
    call('generateRandomBytes of 1 B, with a body as long', request('POST', `${keys}:generateRandomBytes`, padded)),
    call('encrypt of 1 KiB', request('POST', `${keys}/${key}:encrypt`, { plaintext })),
    call('hmac of 1 KiB', request('POST', `${keys}/${mac}:hmac`, { data: plaintext })),
    call('generateRandomBytes of 1 KiB', request('POST', `${keys}:generateRandomBytes`, { length_bytes: size })),
    call('decrypt of 1 KiB, whose use is recorded', request('POST', `${keys}/${key}:decrypt`, { ciphertext })),
  ]
  const found = await measureRounds(contenders, { rounds: 9, warmUp: 500 })
  const [crypto = [], objects = [], read = [], posted = [], encrypted = []] = found
  printGroup(
    'calls of crypto keys, SQLite',
    contenders.map(({ name }, i) => [name, median(found[i] ?? [])] as const),
  )
  const sum = (some: readonly number[], more: readonly number[]): readonly number[] =>
    some.map((time, i) => time + (more[i] ?? Number.NaN))
  const allowed = sum(crypto, posted)
  printRatio('encrypt to node:crypto and the call with a body as long', encrypted, allowed)
  printRatio('encrypt to node:crypto and getCryptoKey', encrypted, sum(crypto, read))
  printRatio(
    'encrypt to node:crypto with a KeyObject and the call with a body as long',
    encrypted,
    sum(objects, posted),
  )
  if (median(encrypted.map((time, i) => time / (allowed[i] ?? Number.NaN))) > limit) process.exitCode = 1
} finally {
  await platform.close()
}

function bare(key: Buffer | KeyObject, plaintext: Buffer): Buffer {
  const nonce = randomFillSync(Buffer.alloc(12))
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}
