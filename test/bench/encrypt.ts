import { createCipheriv, randomBytes, randomFillSync } from 'node:crypto'
import { measureRounds, median, type Contender } from './measuring/rounds.ts'
import { printGroup, printRatio } from './measuring/table.ts'
import { vaultPlatform } from './measuring/vault-platform.ts'

/**
 * This program prints the CPU time of an encryption of 1 KiB by a server without a socket on SQLite, and of a read of
 * the same key; the limit is 1.5 times the read and a bare encryption by `node:crypto`.
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
  const contenders: readonly Contender[] = [
    { name: 'node:crypto: AES-256-GCM of 1 KiB', units: 1, run: () => bare(material, data) },
    call('getCryptoKey', request('GET', `${keys}/${key}`)),
    call('encrypt of 1 KiB', request('POST', `${keys}/${key}:encrypt`, { plaintext })),
    call('hmac of 1 KiB', request('POST', `${keys}/${mac}:hmac`, { data: plaintext })),
    call('generateRandomBytes of 1 KiB', request('POST', `${keys}:generateRandomBytes`, { length_bytes: size })),
    call('decrypt of 1 KiB, whose use is recorded', request('POST', `${keys}/${key}:decrypt`, { ciphertext })),
  ]
  const found = await measureRounds(contenders, { rounds: 9, warmUp: 500 })
  const [crypto = [], read = [], encrypted = []] = found
  printGroup(
    'calls of crypto keys, SQLite',
    contenders.map(({ name }, i) => [name, median(found[i] ?? [])] as const),
  )
  const allowed = crypto.map((time, i) => time + (read[i] ?? Number.NaN))
  printRatio('encrypt to node:crypto and getCryptoKey', encrypted, allowed)
  if (median(encrypted.map((time, i) => time / (allowed[i] ?? Number.NaN))) > limit) process.exitCode = 1
} finally {
  await platform.close()
}

function bare(key: Buffer, plaintext: Buffer): Buffer {
  const nonce = randomFillSync(Buffer.alloc(12))
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}
