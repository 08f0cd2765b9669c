import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { secretCollection } from '../../../../domain/vault/secrets/secrets-store.ts'
import { areas } from '../../../../server/areas.ts'
import { openStore, type StorePlace } from '../../../../server/platform-store.ts'
import { checkedRows } from '../../../../server/vault/snapshots/checked-rows.ts'
import { openSnapshot } from '../../../../server/vault/snapshots/open-snapshot.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { addTenant } from '../../../areas/members.ts'
import { whileOpen } from '../../../areas/while-open.ts'
import { ended } from '../../../server/backup/harness.ts'
import { testStorePlace } from '../../../server/store/left-place.ts'
import { certificateCalls } from '../certificates/tenant-certificates.ts'
import { secretCalls } from '../tenant-secrets.ts'
import type { KilledWork } from './killed-program.ts'
import { devRoot, snapshotNames, takenSnapshot } from './taken.ts'

const program = fileURLToPath(new URL('./killed-program.ts', import.meta.url))

/** The number of points at which a process is killed; `NINEFOLD_KILL_POINTS=all` tries all points. */
const mostPoints = process.env['NINEFOLD_KILL_POINTS'] === 'all' ? Infinity : 4

/** The time limit of a test in milliseconds; all points take minutes. */
const timeout = mostPoints === Infinity ? 7_200_000 : 180_000

const public_key_pem = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .publicKey.export({ format: 'pem', type: 'spki' })
  .toString()

const idOf = (at: number): string => `0fffffff-0000-7000-8000-${String(at).padStart(12, '0')}`

/** Runs the program; returns the number of calls, or undefined if it was killed. */
async function run(work: KilledWork): Promise<number | undefined> {
  const child = spawn(process.execPath, [program, JSON.stringify(work)], { stdio: ['ignore', 'pipe', 'pipe'] })
  const { said, signal } = await ended(child)
  if (signal === 'SIGKILL') return undefined
  const [, calls] = /calls (\d+)\n$/.exec(said) ?? []
  if (calls === undefined) throw new Error(said)
  return Number(calls)
}

/** Returns the points to try, the last call included. */
function pointsOf(calls: number): readonly number[] {
  const stride = Math.max(1, calls / mostPoints)
  const all = Array.from({ length: calls }, (_, i) => calls - i)
  return all.filter((_, i) => Math.floor(i / stride) !== Math.floor((i - 1) / stride))
}

/** Makes a place with a vault of two secrets, an authority, and a live and a revoked certificate, and a snapshot of it. */
async function placeWithVault(): Promise<{
  readonly place: StorePlace
  readonly file: string
  readonly add: () => Promise<void>
}> {
  const place = await testStorePlace()
  const { file, workspace } = await whileOpen(place, async api => {
    const { workspace } = await addTenant(api, 'acme')
    const { add, at, create } = secretCalls({ api }, workspace)
    for (const name of ['one', 'two']) await add(await create(name), name)
    const { issue, root } = certificateCalls({ admin: { api }, at, workspace })
    const authority = await root('root')
    const config = { subject: { common_name: 'www.acme.example' }, public_key_pem }
    const ids = [await issue(authority, { config }), await issue(authority, { config })]
    const body = { reason: 'VAULT_REVOCATION_REASON_SUPERSEDED' } as const
    await api.vault.revokeCertificate({ ...at, certificate_authority: authority, id: ids[0] ?? '', body })
    await api.vault.getCertificateRevocationList({ ...at, id: authority })
    return { file: await takenSnapshot(api, place), workspace }
  })
  let count = 0
  const add = (): Promise<void> =>
    whileOpen(place, async api => void (await secretCalls({ api }, workspace).create(`later-${(count += 1)}`)))
  return { place, file, add }
}

async function secretsIn(place: StorePlace): Promise<number> {
  const store = await openStore(place, areas)
  try {
    return await store.count(secretCollection)
  } finally {
    await store.close()
  }
}

it(
  'a server that is killed while it takes a snapshot leaves complete snapshots, and the next deletes the rest',
  { timeout },
  async () => {
    const { file, place } = await placeWithVault()
    const calls = await run({ at: 0, what: 'snapshot', place, from: file, id: idOf(0) })
    expect(calls).toBeGreaterThan(7)
    console.log(`${pointsOf(calls ?? 0).length} of ${calls} points of a snapshot`)
    for (const at of pointsOf(calls ?? 0)) {
      expect(await run({ at, what: 'snapshot', place, from: file, id: idOf(at) })).toBeUndefined()
      for (const name of snapshotNames(place).filter(each => !each.endsWith('.part'))) {
        const opened = await openSnapshot(join(place.dataDir, 'snapshots', name), { current: devRoot(place) })
        let rows = 0
        for await (const _ of checkedRows(opened)) rows += 1
        expect(rows).toBeGreaterThan(4)
      }
    }
    await run({ at: 0, what: 'snapshot', place, from: file, id: 'ffffffff-0000-7000-8000-000000000000' })
    expect(snapshotNames(place)).toEqual(['vault-ffffffff-0000-7000-8000-000000000000.snap'])
  },
)

it('a restore that is killed leaves the old vault or the restored vault', { timeout }, async () => {
  const { add, file, place } = await placeWithVault()
  await add()
  const calls = (await run({ at: 0, what: 'restore', place, from: file, id: '' })) ?? 0
  expect(calls).toBeGreaterThan(20)
  expect(await secretsIn(place)).toBe(2)
  console.log(`${pointsOf(calls).length} of ${calls} points of a restore`)
  const found = new Set<number>()
  for (const at of pointsOf(calls)) {
    await add()
    const before = await secretsIn(place)
    await run({ at, what: 'restore', place, from: file, id: '' })
    const after = await secretsIn(place)
    expect([before, 2]).toContain(after)
    found.add(after)
    expect(await doctorFindings(place)).toEqual([])
  }
  expect([...found].some(count => count > 2)).toBe(true)
})
