import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { revocationCollection, revocationId } from '../../domain/vault/revoked/lists-store.ts'
import { schemes, type SignScheme } from '../../domain/vault/keys/schemes.ts'
import { listAnswer } from '../../domain/vault/revocation/list-answer.ts'
import { RevocationLists } from '../../domain/vault/revocation/revocation-lists.ts'
import { Keyring } from '../../domain/vault/seal/keyring.ts'
import { isOpenSafe, openSafe } from '../../domain/vault/seal/open-safe.ts'
import type { CryptoKeyAlgorithm } from '../../output/vault/types.ts'
import { createClock } from '../../server/clock.ts'
import { openSqlite } from '../../server/store/sqlite.ts'
import { issuerCollections, storedIssuer } from '../domain/vault/revocation/issuer.ts'
import { watchedTurns } from './measuring/turns.ts'

/**
 * This program prints how long the signature and the answer of a revocation list of 100,000 entries block the other calls
 * of a server with SQLite at most; the limit is 20 ms (issue of vault.md 4.5). `NINEFOLD_BENCH_REVOCATIONS` sets the number.
 */

const count = Number(process.env['NINEFOLD_BENCH_REVOCATIONS'] ?? 100_000)
const limitMs = 20
const clock = createClock()

const algorithms = [
  'VAULT_CRYPTO_KEY_ALGORITHM_EC_P256_SHA256',
  'VAULT_CRYPTO_KEY_ALGORITHM_EC_P384_SHA384',
  'VAULT_CRYPTO_KEY_ALGORITHM_ED25519',
  'VAULT_CRYPTO_KEY_ALGORITHM_RSA_PKCS1_3072_SHA256',
] as const

const folder = mkdtempSync(join(tmpdir(), 'ninefold-crl-'))
try {
  const store = await openSqlite({ file: join(folder, 'store.sqlite'), collections: issuerCollections })
  const keyring = new Keyring(store)
  const roots = { current: { id: 'bench', bytes: Buffer.alloc(32, 'bench') } }
  const safe = await openSafe(store, clock, roots)
  if (!isOpenSafe(safe)) throw new Error(safe.reason)
  keyring.unseal(safe, roots)
  console.log(`\na revocation list of ${count} entries, SQLite (limit ${limitMs} ms of CPU time)`)
  console.log(
    `  ${' '.repeat(32)}${['in all', 'longest turn', 'its CPU time']
      .map(head => head.padStart(13))
      .join('')
      .slice(3)}`,
  )
  for (const algorithm of algorithms) await measure(algorithm, schemes[algorithm])

  async function measure(algorithm: CryptoKeyAlgorithm, scheme: SignScheme): Promise<void> {
    const id = clock.newId()
    const { authority, materials } = await storedIssuer(store, keyring, { algorithm, id, now: clock.now(), scheme })
    await fill(id, authority.workspace_id)
    const lists = new RevocationLists({ clock, keyring, materials, store })
    const signing = await watchedTurns(() => lists.current(authority))
    const again = new RevocationLists({ clock, keyring, materials, store })
    const reading = await watchedTurns(() => again.current(authority))
    const current = await again.current(authority)
    if (current === undefined) throw new Error('there is no list')
    // The server writes the text of the answer as bytes.
    const answering = await watchedTurns(async () => Buffer.from((await listAnswer(current, algorithm)).text))
    const name = algorithm.replace('VAULT_CRYPTO_KEY_ALGORITHM_', '')
    for (const [what, { longest, longestCpu, took }] of [
      ['signed', signing],
      ['read', reading],
      ['answered', answering],
    ] as const) {
      const figures = [took, longest, longestCpu].map(figure => `${figure.toFixed(1)} ms`.padStart(12)).join('')
      console.log(`  ${`${name} ${what}`.padEnd(32)}${figures}`)
    }
    if (Math.max(signing.longestCpu, answering.longestCpu) > limitMs) process.exitCode = 1
  }

  async function fill(id: string, workspace_id: string): Promise<void> {
    const revoke_time = new Date(clock.now()).toISOString()
    const not_after_time = new Date(clock.now() + 86_400_000).toISOString()
    for (let from = 0; from < count; from += 5000)
      await store.tx(async tx => {
        for (let number = from; number < Math.min(from + 5000, count); number++) {
          const serial_number = `40${number.toString(16).padStart(30, '0')}`
          await tx.insert(revocationCollection, {
            id: revocationId(id, serial_number),
            certificate_authority_id: id,
            workspace_id,
            serial_number,
            reason: 'VAULT_REVOCATION_REASON_KEY_COMPROMISE',
            revoke_time,
            not_after_time,
          })
        }
      })
  }
  await store.close()
} finally {
  rmSync(folder, { recursive: true })
}
