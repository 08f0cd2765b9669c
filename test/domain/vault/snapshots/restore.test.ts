import { expect, it, onTestFinished } from 'vitest'
import { capsuleCollection } from '../../../../domain/vault/capsules/capsules-store.ts'
import { secretVersionCollection, versionRowId } from '../../../../domain/vault/secrets/secret-versions-store.ts'
import { secretCollection } from '../../../../domain/vault/secrets/secrets-store.ts'
import { agenda } from '../../../../domain/vault/work/agenda.ts'
import { references } from '../../../../domain/resources/references.ts'
import type { Ninefold } from '../../../../output/client.ts'
import { areas } from '../../../../server/areas.ts'
import { openStore, storeCollections, type StorePlace } from '../../../../server/platform-store.ts'
import { exportedCollections } from '../../../../server/vault/snapshots/exported.ts'
import { recordedActivities } from '../../../areas/activities.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { addTenant } from '../../../areas/members.ts'
import { seeded } from '../../../areas/random.ts'
import { whileOpen } from '../../../areas/while-open.ts'
import { copyPlace, testStorePlace } from '../../../server/store/left-place.ts'
import { base64, engine, secretCalls } from '../tenant-secrets.ts'
import { restoreInto, takenSnapshot } from './taken.ts'

/** The number of random checks on a restored vault; the full number is 200. */
const checks = Number(process.env['NINEFOLD_SNAPSHOT_CHECKS'] ?? 20)

/** Deletes all rows of the vault, as if its tables were lost. */
async function loseVault(place: StorePlace): Promise<void> {
  const store = await openStore(place, areas)
  await store.tx(async tx => {
    for (const collection of exportedCollections())
      for await (const { id, version } of tx.each(collection)) await tx.delete(collection, id, version)
    for await (const { id, version } of tx.each(references, { holder_type: 'vault.secrets' }))
      await tx.delete(references, id, version)
  })
  await store.close()
}

/** Reads everything that callers see of a workspace's vault, with the payloads. */
async function readVault(api: Ninefold, workspace: string): Promise<unknown> {
  const at = { workspace, engine }
  const { vault } = api
  const secrets = []
  for await (const secret of vault.iterateSecrets(at)) {
    const versions = []
    for await (const { id } of vault.iterateSecretVersions({ ...at, secret: secret.id }))
      versions.push(
        await vault.getSecretVersion({ ...at, secret: secret.id, id }).catch((error: unknown) => String(error)),
      )
    secrets.push({ secret, versions })
  }
  const keys = []
  for await (const key of vault.iterateCryptoKeys(at)) {
    const versions = await vault.listCryptoKeyVersions({ ...at, cryptokey: key.id, page_size: 100 })
    keys.push({ key, versions })
  }
  return { secrets, keys }
}

/** Makes a vault with random secrets, versions and keys. */
async function fill(api: Ninefold, workspace: string, count: number) {
  const random = seeded(7)
  const { add, create, read } = secretCalls({ api }, workspace)
  const at = { workspace, engine }
  const purpose = 'VAULT_CRYPTO_KEY_PURPOSE_ENCRYPT_DECRYPT'
  const { resource_id: key } = await api.vault.createCryptoKey({ ...at, body: { name: 'orders', purpose } })
  const texts = new Map<string, string>()
  for (let i = 0; i < count; i += 1) {
    const secret = await create(`secret-${i}`, random.percent(30) ? { crypto_key_id: key } : {})
    for (let version = 1; version <= 1 + random.below(3); version += 1) {
      const text = `value ${i}.${version} ${'x'.repeat(random.below(2000))}`
      await add(secret, text)
      texts.set(versionRowId(secret, String(version)), text)
    }
  }
  return { key, texts, read, at }
}

it(`${checks} random reads of a restored vault answer as before`, async () => {
  const place = await testStorePlace()
  const { before, ciphertext, file, key, texts, workspace } = await whileOpen(place, async api => {
    const { workspace } = await addTenant(api, 'acme')
    const { at, key, texts } = await fill(api, workspace, Math.max(8, checks / 5))
    const { ciphertext } = await api.vault.encrypt({ ...at, id: key, body: { plaintext: base64('hello') } })
    const file = await takenSnapshot(api, place)
    return { before: await readVault(api, workspace), ciphertext, file, key, texts, workspace }
  })
  await loseVault(place)
  expect(await restoreInto(place, file, { isVerifying: true })).toEqual([
    expect.stringMatching(/^can be restored: \d+ rows of /),
  ])
  const [line] = await restoreInto(place, file)
  expect(line).toMatch(/: \d+ rows of .*\.snap, taken 20.*Z of installation [0-9a-f-]{36}$/)
  expect(await doctorFindings(place)).toEqual([])
  await whileOpen(place, async api => {
    expect(await readVault(api, workspace)).toEqual(before)
    const { at, read } = secretCalls({ api }, workspace)
    const random = seeded(11)
    const rows = [...texts]
    for (let i = 0; i < checks; i += 1) {
      const [row, text] = random.oneOf(rows)
      const [secret = '', , version = ''] = row.split('/')
      expect(await read(secret, version)).toBe(text)
    }
    const opened = await api.vault.decrypt({ ...at, id: key, body: { ciphertext } })
    expect(Buffer.from(opened.plaintext, 'base64').toString()).toBe('hello')
    // References and quotas are those of the rows.
    await expect(api.vault.deleteCryptoKey({ ...at, id: key })).rejects.toMatchObject({ reason: 'CRYPTO_KEY_IN_USE' })
  })
  const activities = await recordedActivities(place)
  expect(activities.filter(({ action }) => action === 'vault.snapshots.restored')).toHaveLength(1)
})

it('a vault that is not empty is replaced only when asked, and what it has ended stays ended', async () => {
  const place = await testStorePlace()
  const { capsule, file, redeemed, secret, workspace } = await whileOpen(place, async api => {
    const { workspace } = await addTenant(api, 'acme')
    const { add, at, create } = secretCalls({ api }, workspace)
    const secret = await create('database-password')
    for (const text of ['one', 'two', 'three']) await add(secret, text)
    const body = { payload: { data: base64('once') } }
    const [capsule, redeemed] = [
      await api.vault.createCapsule({ ...at, body }),
      await api.vault.createCapsule({ ...at, body }),
    ]
    const file = await takenSnapshot(api, place)
    await api.vault.redeemCapsule({ id: redeemed.resource_id, body: { token: redeemed.credential?.token ?? '' } })
    await api.vault.destroySecretVersion({ ...at, secret, id: '2', body: {} })
    await add(secret, 'four')
    await api.vault.destroySecretVersion({ ...at, secret, id: '4', body: {} })
    await create('later')
    return { capsule, file, redeemed, secret, workspace }
  })
  await expect(restoreInto(place, file)).rejects.toThrow('can only be restored into an empty vault')
  const lines = await restoreInto(place, file, { isReplacing: true })
  expect(lines).toContain('rows that stay as the replaced vault has ended them: 2')
  expect(await doctorFindings(place)).toEqual([])
  await whileOpen(place, async api => {
    const { at, read } = secretCalls({ api }, workspace)
    expect(await read(secret, '1')).toBe('one')
    expect(await read(secret, 'latest')).toBe('three')
    await expect(read(secret, '2')).rejects.toMatchObject({ reason: 'SECRET_VERSION_DESTROYED' })
    expect(await api.vault.getSecret({ ...at, id: secret })).toMatchObject({ enabled_version_count: 2 })
    expect((await api.vault.listSecrets(at)).secrets.map(({ name }) => name)).toEqual(['database-password'])
    const states = [capsule, redeemed].map(({ resource_id: id }) => api.vault.getCapsule({ ...at, id }))
    expect(await Promise.all(states)).toMatchObject([
      { state: 'VAULT_CAPSULE_STATE_REVOKED', revoke_reason: 'RESTORED' },
      { state: 'VAULT_CAPSULE_STATE_REDEEMED' },
    ])
    const body = { token: capsule.credential?.token ?? '' }
    await expect(api.vault.redeemCapsule({ id: capsule.resource_id, body })).rejects.toMatchObject({
      reason: 'CAPSULE_NOT_ACTIVE',
    })
    expect(await api.vault.listOperations({ page_size: 1 })).toBeDefined()
  })
  expect(await doctorFindings(place)).toEqual([])
})

it('what is overdue ends before a restored vault is served, and a purged workspace does not come back', async () => {
  const place = await testStorePlace()
  const { file, kept, purged, secret } = await whileOpen(place, async api => {
    const { workspace: kept } = await addTenant(api, 'acme')
    const { workspace: purged } = await addTenant(api, 'gone')
    const { add, at, create } = secretCalls({ api }, kept)
    const secret = await create('scheduled', { version_destroy_delay: '86400s' })
    await add(secret, 'one')
    await add(secret, 'two')
    await api.vault.destroySecretVersion({ ...at, secret, id: '1', body: {} })
    await create('expiring', { ttl: '7200s' })
    const other = secretCalls({ api }, purged)
    await other.add(await other.create('of the other'.replaceAll(' ', '-')), 'text')
    return { file: await takenSnapshot(api, place), kept, purged, secret }
  })
  await loseVault(place)
  await dropWorkspace(place, purged)
  const lines = await restoreInto(place, file)
  expect(lines).toContainEqual(expect.stringMatching(/^\d+ rows of 1 workspaces .* were left out$/))
  await makeOverdue(place)
  await whileOpen(place, async api => {
    const { at } = secretCalls({ api }, kept)
    // The first calls of the server: the worker of the agenda need not have run.
    const version = { ...at, secret, id: '1', view: 'VAULT_SECRET_VERSION_VIEW_BASIC' } as const
    expect(await api.vault.getSecretVersion(version)).toMatchObject({ state: 'VAULT_SECRET_VERSION_STATE_DESTROYED' })
    expect((await api.vault.listSecrets(at)).secrets.map(({ name }) => name)).toEqual(['scheduled'])
  })
  const store = await openStore(place, areas)
  onTestFinished(() => store.close())
  expect(await store.count(secretCollection)).toBe(1)
  expect(await store.exists(capsuleCollection, {})).toBe(false)
})

/** Deletes the row of a workspace, as a purge does at its end. */
async function dropWorkspace(place: StorePlace, workspace: string): Promise<void> {
  const store = await openStore(place, areas)
  const collection = storeCollections(areas).find(({ name }) => name === 'taxonomy_workspaces')
  if (!collection) throw new Error('taxonomy has no workspaces')
  await store.tx(async tx => {
    const row = await tx.lock(collection, workspace)
    if (row) await tx.delete(collection, workspace, row.version)
  })
  await store.close()
}

/** Moves the times of all due work, and of its resources, into the past. */
async function makeOverdue(place: StorePlace): Promise<void> {
  const store = await openStore(place, areas)
  const past = '2020-01-01T00:00:00.000Z'
  await store.tx(async tx => {
    for await (const { id, value, version } of tx.each(agenda))
      await tx.update(agenda, id, { ...value, due_time: past }, version)
    for await (const { id, value, version } of tx.each(secretVersionCollection))
      if (value.scheduled_destroy_time !== undefined)
        await tx.update(secretVersionCollection, id, { ...value, scheduled_destroy_time: past }, version)
    for await (const { id, value, version } of tx.each(secretCollection))
      if (value.expire_time !== undefined)
        await tx.update(secretCollection, id, { ...value, expire_time: past }, version)
  })
  await store.close()
}

it('a copy of the store on another host gets the same vault back', async () => {
  const place = await testStorePlace()
  const { file, secret, workspace } = await whileOpen(place, async api => {
    const { workspace } = await addTenant(api, 'acme')
    const { add, create } = secretCalls({ api }, workspace)
    const secret = await create('database-password')
    await add(secret, 'one')
    return { file: await takenSnapshot(api, place), secret, workspace }
  })
  const copy = await copyPlace(place, storeCollections(areas))
  await loseVault(copy)
  // A first start with the root key makes a new safe, which the restore replaces.
  await whileOpen(copy, async () => {})
  await restoreInto(copy, file)
  expect(await doctorFindings(copy)).toEqual([])
  await whileOpen(copy, async api => {
    const { add, read } = secretCalls({ api }, workspace)
    expect(await read(secret, '1')).toBe('one')
    await add(secret, 'two')
    expect(await read(secret, 'latest')).toBe('two')
  })
})
