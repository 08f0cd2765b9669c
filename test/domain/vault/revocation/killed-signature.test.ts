import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import type { StoredAuthority } from '../../../../domain/vault/certificates/authorities-store.ts'
import { certificateCollection } from '../../../../domain/vault/certificates/certificates-store.ts'
import { schemes } from '../../../../domain/vault/keys/schemes.ts'
import { inspectLists } from '../../../../domain/vault/revocation/inspect-lists.ts'
import { readList } from '../../../../domain/vault/revocation/read-list.ts'
import { listCollection, partCollection, revocationCollection } from '../../../../domain/vault/revoked/lists-store.ts'
import { markRevoked } from '../../../../domain/vault/revoked/mark-revoked.ts'
import { createClock } from '../../../../server/clock.ts'
import type { StorePlace } from '../../../../server/platform-store.ts'
import type { ServerStore } from '../../../../server/store/server-store.ts'
import { ended } from '../../../server/backup/harness.ts'
import { copyPlace, openBeside, testStorePlace } from '../../../server/store/left-place.ts'
import { issuerCollections, revokedRow, storedIssuer } from './issuer.ts'
import type { KilledSigning } from './killed-signer.ts'
import { listsOver, testKeyring } from './lists-over.ts'

const program = fileURLToPath(new URL('./killed-signer.ts', import.meta.url))

/** The number of points at which a process is killed; `NINEFOLD_KILL_POINTS=all` tries all points. */
const mostPoints = process.env['NINEFOLD_KILL_POINTS'] === 'all' ? Infinity : 4

/** The time limit of the test in milliseconds. */
const timeout = mostPoints === Infinity ? 7_200_000 : 180_000

const algorithm = 'VAULT_CRYPTO_KEY_ALGORITHM_EC_P256_SHA256'
const begin = Date.parse('2026-01-15T09:45:00.250Z')
const day = 86_400_000

/** The number of revocations that fill more than one part of a list. */
const many = 3700

/** The number of revoked certificates that the second list leaves out, because they have expired before the first. */
const expired = 150

/** Revokes certificates with the serial numbers from `from` to below `to`. */
async function revoke(store: ServerStore, authority: StoredAuthority, from: number, to: number): Promise<void> {
  const { id: issuer, workspace_id } = authority
  const { newId } = createClock()
  const revocation = {
    reason: 'VAULT_REVOCATION_REASON_SUPERSEDED',
    revoke_time: new Date(begin).toISOString(),
  } as const
  await store.tx(async tx => {
    for (let number = from; number < to; number += 1) {
      const serial_number = `40${number.toString(16).padStart(30, '0')}`
      const not_after_time = new Date(number < expired ? begin - day : begin + 300 * day).toISOString()
      const row = revokedRow(authority, newId(), serial_number, { not_after_time, revocation })
      await tx.insert(certificateCollection, row)
      await markRevoked(tx, { issuer, workspace_id, serial_number, not_after_time }, revocation)
    }
  })
}

/** Makes a place with an authority and its signed list of several parts, to which a revocation has come since. */
async function placeWithList(): Promise<{ readonly place: StorePlace; readonly authority: StoredAuthority }> {
  const place = await testStorePlace()
  mkdirSync(place.dataDir, { recursive: true })
  const store = await openBeside(place, issuerCollections)
  const scheme = schemes[algorithm]
  const id = createClock().newId()
  const { authority } = await storedIssuer(store, await testKeyring(store), { algorithm, id, now: begin, scheme })
  await revoke(store, authority, 0, many)
  await (await listsOver(store, begin)).renew(id)
  await revoke(store, authority, many, many + 1)
  await store.close()
  return { place, authority }
}

/** Runs the program; returns the number of points, or undefined if it was killed. */
async function run(signing: KilledSigning): Promise<number | undefined> {
  const child = spawn(process.execPath, [program, JSON.stringify(signing)], { stdio: ['ignore', 'pipe', 'pipe'] })
  const { said, signal } = await ended(child)
  if (signal === 'SIGKILL') return undefined
  const [, points] = /points (\d+)\n$/.exec(said) ?? []
  if (points === undefined) throw new Error(said)
  return Number(points)
}

/** Returns the points to try, the last included. */
function pointsOf(count: number): readonly number[] {
  const stride = Math.max(1, count / mostPoints)
  const all = Array.from({ length: count }, (_, i) => count - i)
  return all.filter((_, i) => Math.floor(i / stride) !== Math.floor((i - 1) / stride))
}

it(
  'a server that is killed while it signs a list of several parts leaves a whole list, and the next lists lack nothing',
  { timeout },
  async () => {
    const { authority, place } = await placeWithList()
    const now = begin + 60_000
    const whole = await copyPlace(place, issuerCollections, onTestFinished)
    const count = (await run({ at: 0, place: whole, authority: authority.id, now })) ?? 0
    const points = pointsOf(count)
    console.log(`${points.length} of ${count} points of a signature`)
    expect(count).toBeGreaterThan(8)
    for (const at of points) {
      const left = await copyPlace(place, issuerCollections, onTestFinished)
      expect(await run({ at, place: left, authority: authority.id, now })).toBeUndefined()
      const store = await openBeside(left, issuerCollections)
      const numbers = [BigInt(begin)]
      // The killed server is followed by one at once, and by another after half of the time of the list.
      for (const time of [now + 1000, now + 4 * day]) {
        const current = await (await listsOver(store, time)).current(authority)
        const { number, serials } = readList(current?.der ?? Buffer.alloc(0))
        expect(serials).toHaveLength(many + 1 - expired)
        expect(BigInt(number)).toBeGreaterThan(numbers.at(-1) ?? 0n)
        numbers.push(BigInt(number))
      }
      const { content = '', parts } = (await store.get(listCollection, authority.id))?.value ?? {}
      expect([await store.count(partCollection), await store.count(partCollection, { content })]).toEqual([
        parts,
        parts,
      ])
      expect(await store.count(revocationCollection)).toBe(many + 1 - expired)
      const findings: string[] = []
      for await (const { message } of inspectLists(store)) findings.push(message)
      expect(findings).toEqual([])
      await store.close()
    }
  },
)
