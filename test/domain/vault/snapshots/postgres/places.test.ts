import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Collection, Transaction } from '../../../../../domain/ports/store.ts'
import { Ninefold } from '../../../../../output/client.ts'
import { areas } from '../../../../../server/areas.ts'
import { workCollections } from '../../../../../server/operations/workers.ts'
import { openStore, storeCollections, type StorePlace } from '../../../../../server/platform-store.ts'
import { exportedCollections } from '../../../../../server/vault/snapshots/exported.ts'
import { doctorFindings } from '../../../../areas/doctor.ts'
import { addTenant } from '../../../../areas/members.ts'
import { baseUrl, openPlatform } from '../../../../areas/open-platform.ts'
import { testPlatform } from '../../../../areas/test-platform.ts'
import { whileOpen } from '../../../../areas/while-open.ts'
import { testStorePlace } from '../../../../server/store/left-place.ts'
import { signIn } from '../../../../server/access/sign-in.ts'
import { openQuickIam } from '../../../../server/iam/quick-iam.ts'
import { testFolder } from '../../../../server/store/harness.ts'
import { secretCalls } from '../../tenant-secrets.ts'
import { endedSnapshot, restoreInto, takenSnapshot } from '../taken.ts'

/** Copies the platform without its vault to a place with another kind of store. */
async function copyPlatform(from: StorePlace, to: StorePlace): Promise<void> {
  mkdirSync(to.dataDir, { recursive: true })
  copyFileSync(join(from.dataDir, 'vault-root.key'), join(to.dataDir, 'vault-root.key'))
  const left = new Set([...exportedCollections(), ...workCollections].map(({ name }) => name))
  const [source, target] = [await openStore(from, areas), await openStore(to, areas)]
  for (const collection of storeCollections(areas)) {
    if (!left.has(collection.name)) await target.tx(tx => copyRows(collection, source, tx))
  }
  await Promise.all([source.close(), target.close()])
}

async function copyRows<T>(
  collection: Collection<T>,
  source: Pick<Transaction, 'each'>,
  tx: Transaction,
): Promise<void> {
  for await (const { value } of source.each(collection)) await tx.insert(collection, value)
}

/** Runs `act` on a platform over a file, as `whileOpen` does over a place of the test project. */
async function whileOnSqlite<R>(place: StorePlace, act: (api: Ninefold) => Promise<R>): Promise<R> {
  const platform = await openPlatform({ config: place, areas, openAccess: openQuickIam })
  try {
    const token = await signIn(baseUrl, platform.from('192.0.2.7'))
    return await act(new Ninefold(platform.transport(token)))
  } finally {
    await platform.close()
  }
}

it('a snapshot of PostgreSQL is restored into SQLite, and a snapshot of that into PostgreSQL', async () => {
  const postgres = await testStorePlace()
  const { file, secret, workspace } = await whileOpen(postgres, async api => {
    const { workspace } = await addTenant(api, 'acme')
    const { add, create } = secretCalls({ api }, workspace)
    const secret = await create('database-password')
    await add(secret, 'one')
    await add(secret, 'ä ö ü €')
    return { file: await takenSnapshot(api, postgres), secret, workspace }
  })
  const sqlite = { dataDir: join(testFolder(), 'data') }
  await copyPlatform(postgres, sqlite)
  await restoreInto(sqlite, file)
  expect(await doctorFindings(sqlite)).toEqual([])
  const back = await whileOnSqlite(sqlite, async api => {
    const { add, read } = secretCalls({ api }, workspace)
    expect([await read(secret, '1'), await read(secret, 'latest')]).toEqual(['one', 'ä ö ü €'])
    await add(secret, 'three')
    return takenSnapshot(api, sqlite)
  })
  const again = await testStorePlace()
  await copyPlatform(postgres, again)
  await restoreInto(again, back)
  expect(await doctorFindings(again)).toEqual([])
  await whileOpen(again, async api => {
    const { read } = secretCalls({ api }, workspace)
    expect([await read(secret, '1'), await read(secret, 'latest')]).toEqual(['one', 'three'])
  })
})

it('two servers on one database take one snapshot at a time, and no restore runs beside them', async () => {
  const first = await testPlatform()
  const second = await testPlatform({ config: first.config })
  const apis = [(await first.admin()).api, (await second.admin()).api]
  const calls = Array.from({ length: 6 }, (_, i) => apis[i % 2]?.vault.takeSnapshot({ body: {} }))
  const results = await Promise.allSettled(calls)
  const reasons = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []))
  expect(reasons.length).toBeGreaterThan(0)
  for (const reason of reasons) expect(reason).toMatchObject({ reason: 'SNAPSHOT_IN_PROGRESS' })
  const [api] = apis
  if (!api) throw new Error('there is no server')
  await expect.poll(async () => (await endedSnapshot(api).catch(() => undefined))?.errors).toEqual([])
  const file = await takenSnapshot(api, first.config)
  const elsewhere = { ...first.config, dataDir: testFolder() }
  copyFileSync(join(first.config.dataDir, 'vault-root.key'), join(elsewhere.dataDir, 'vault-root.key'))
  await expect(restoreInto(elsewhere, file, { isReplacing: true })).rejects.toThrow(/^a server on .* end all servers/)
  await expect(restoreInto(first.config, file, { isReplacing: true })).rejects.toThrow('is in use; end the servers')
})
