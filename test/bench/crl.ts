import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { revocationCollection, revocationId } from '../../domain/vault/revoked/lists-store.ts'
import { schemes, type SignScheme } from '../../domain/vault/keys/schemes.ts'
import { RevocationLists } from '../../domain/vault/revocation/revocation-lists.ts'
import { Keyring } from '../../domain/vault/seal/keyring.ts'
import { isOpenSafe, openSafe } from '../../domain/vault/seal/open-safe.ts'
import type { CryptoKeyAlgorithm } from '../../output/vault/types.ts'
import { createClock } from '../../server/clock.ts'
import { openSqlite } from '../../server/store/sqlite.ts'
import { issuerCollections, storedIssuer } from '../domain/vault/revocation/issuer.ts'

/**
 * This program prints how long the signature of a revocation list of 100,000 entries blocks the other calls of a server
 * with SQLite at most; the limit is 20 ms (issue of vault.md 4.5). `NINEFOLD_BENCH_REVOCATIONS` sets the number.
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

/** Times of a task in milliseconds. */
interface Watched {
  readonly took: number
  /** The longest turn of the event loop. */
  readonly longest: number
  /** The CPU time of the turn with the most CPU time. Other programs of the machine do not count. */
  readonly longestCpu: number
}

/** Returns the CPU time of this thread in milliseconds. */
function cpuMs(): number {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1000
}

/** Runs a task, and measures the turns of the event loop. */
async function watched(task: () => Promise<unknown>): Promise<Watched> {
  let [longest, longestCpu] = [0, 0]
  let [last, lastCpu] = [performance.now(), cpuMs()]
  let ended = false
  const turn = (): void => {
    const [now, cpu] = [performance.now(), cpuMs()]
    longest = Math.max(longest, now - last)
    longestCpu = Math.max(longestCpu, cpu - lastCpu)
    ;[last, lastCpu] = [now, cpu]
    if (!ended) setImmediate(turn)
  }
  const start = performance.now()
  setImmediate(turn)
  await task()
  const took = performance.now() - start
  ended = true
  turn()
  return { took, longest, longestCpu }
}

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
    const signing = await watched(() => lists.current(authority))
    const again = new RevocationLists({ clock, keyring, materials, store })
    const reading = await watched(() => again.current(authority))
    const name = algorithm.replace('VAULT_CRYPTO_KEY_ALGORITHM_', '')
    for (const [what, { longest, longestCpu, took }] of [
      ['signed', signing],
      ['read', reading],
    ] as const) {
      const figures = [took, longest, longestCpu].map(figure => `${figure.toFixed(1)} ms`.padStart(12)).join('')
      console.log(`  ${`${name} ${what}`.padEnd(32)}${figures}`)
    }
    if (signing.longestCpu > limitMs) process.exitCode = 1
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
