import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { systemPrincipalId } from '../../../../domain/ports/reserved.ts'
import type { Ninefold } from '../../../../output/client.ts'
import type { StorePlace } from '../../../../server/platform-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { addTenant } from '../../../areas/members.ts'
import { servedPlatform, type ServedPlatform } from '../../../server/iam/served-platform.ts'
import { testFolder } from '../../../server/store/harness.ts'
import { testStorePlace } from '../../../server/store/left-place.ts'
import { outcomeOf } from '../../outcomes.ts'
import { base64, keyCalls } from '../keys/tenant-keys.ts'
import { secretCalls } from '../tenant-secrets.ts'
import { afterTests } from '../../../undo.ts'

type Settings = Readonly<Record<string, string>>

let place: StorePlace
let folder: string
let one: ServedPlatform
let other: ServedPlatform

/** Writes a root key; returns the settings of a server that has this key. */
function root(name: string): Settings {
  const file = join(folder, `${name}.key`)
  writeFileSync(file, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
  return { NINEFOLD_VAULT_SEAL_CURRENT_KEY: `file://${file}`, NINEFOLD_VAULT_SEAL_CURRENT_KEY_ID: name }
}

/** Starts a server process on the place. */
const start = (settings: Settings): Promise<ServedPlatform> =>
  servedPlatform(
    { ...settings, NINEFOLD_DATA_DIR: place.dataDir, NINEFOLD_STORE_URL: place.storeUrl ?? '' },
    afterTests,
  )

let first: Settings

beforeAll(async () => {
  place = await testStorePlace(afterTests)
  folder = testFolder(afterTests)
  first = root('first')
  one = await start(first)
  other = await start(first)
}, 120_000)

/** Returns the clients of the administrator on both servers, and a new workspace. */
async function tenant(name: string): Promise<{ readonly here: Ninefold; readonly there: Ninefold; workspace: string }> {
  const [here, there] = [(await one.admin()).api, (await other.admin()).api]
  const { workspace } = await addTenant(here, name)
  return { here, there, workspace }
}

async function readiness({ url }: ServedPlatform): Promise<string> {
  const { status }: { readonly status: string } = JSON.parse(await (await fetch(`${url}/readyz`)).text())
  return status
}

describe('two servers on one PostgreSQL', { timeout: 120_000 }, () => {
  it('rotate each key by the clock once', async () => {
    const { here, there, workspace } = await tenant('rotated')
    const { at, create } = keyCalls({ api: here }, workspace)
    const time = new Date(Date.now() + 1500).toISOString()
    const ids: string[] = []
    for (const name of ['a', 'b', 'c', 'd'])
      ids.push(await create(name, 'AES_256_GCM', { rotation_period: '86400s', next_rotation_time: time }))
    const versions = (api: Ninefold) =>
      Promise.all(ids.map(async id => (await api.vault.getCryptoKey({ ...at, id })).version_count))
    await expect.poll(() => versions(there), { timeout: 60_000 }).toEqual(ids.map(() => 2))
    for (const id of ids) {
      const filter = `resource_id = "${id}/versions/2"`
      const { operations } = await here.vault.listOperations({ filter })
      expect(operations.map(({ operation_type, principal_id }) => [operation_type, principal_id])).toEqual([
        ['VAULT_OPERATION_TYPE_ROTATE', systemPrincipalId],
      ])
      expect(await here.vault.getCryptoKey({ ...at, id })).toMatchObject({ primary_version: '2', version_count: 2 })
    }
  })

  it('refuse a version from the answer to its disabling on, wherever it was disabled', async () => {
    const { here, there, workspace } = await tenant('disabled')
    const { at, create } = keyCalls({ api: here }, workspace)
    const id = await create('k', 'AES_256_GCM')
    const { ciphertext } = await there.vault.encrypt({ ...at, id, body: { plaintext: base64('text') } })
    const times: number[] = []
    for (let round = 0; round < 6; round += 1) {
      const [by, elsewhere] = round % 2 === 0 ? [here, there] : [there, here]
      const set = (disabled: boolean) =>
        by.vault.disableCryptoKeyVersion({ ...at, cryptokey: id, id: '1', body: { disabled } })
      // The key is in the memory of both servers.
      for (const api of [by, elsewhere]) await api.vault.decrypt({ ...at, id, body: { ciphertext } })
      const since = performance.now()
      await set(true)
      times.push(performance.now() - since)
      const refused = { reason: 'KEY_VERSION_DISABLED' }
      await expect(elsewhere.vault.decrypt({ ...at, id, body: { ciphertext } })).rejects.toMatchObject(refused)
      await expect(elsewhere.vault.encrypt({ ...at, id, body: { plaintext: '' } })).rejects.toMatchObject(refused)
      await set(false)
    }
    console.log(`disabled on both servers after ${times.map(ms => Math.round(ms)).join(', ')} ms`)
  })

  it('refuse a version that was disabled while one of them stood still', async () => {
    const { here, there, workspace } = await tenant('paused')
    const { at, create } = keyCalls({ api: here }, workspace)
    const id = await create('k', 'AES_256_GCM')
    const { ciphertext } = await there.vault.encrypt({ ...at, id, body: { plaintext: base64('text') } })
    await there.vault.decrypt({ ...at, id, body: { ciphertext } })
    other.pause()
    const since = performance.now()
    let late: Promise<string>
    try {
      await here.vault.disableCryptoKeyVersion({ ...at, cryptokey: id, id: '1', body: {} })
      console.log(`disabled beside a paused server after ${Math.round(performance.now() - since)} ms`)
      // The paused server finds this call when it continues.
      late = outcomeOf(there.vault.decrypt({ ...at, id, body: { ciphertext } }))
    } finally {
      other.resume()
    }
    expect(['AUTHORIZATION_STALE', 'KEY_VERSION_DISABLED']).toContain(await late)
    await expect
      .poll(() => outcomeOf(there.vault.decrypt({ ...at, id, body: { ciphertext } })), { timeout: 30_000 })
      .toBe('KEY_VERSION_DISABLED')
  })

  it('are sealed each for itself', async () => {
    const { here, workspace } = await tenant('sealed')
    const { add, create, read } = secretCalls({ api: here }, workspace)
    const secret = await create('password')
    await add(secret, 'one')
    const sealed = await start({})
    expect(await readiness(sealed)).toBe('degraded')
    expect(await readiness(one)).toBe('ready')
    const { api } = await sealed.admin()
    const elsewhere = secretCalls({ api }, workspace)
    expect(await outcomeOf(elsewhere.read(secret, '1'))).toBe('VAULT_SEALED')
    expect(await outcomeOf(elsewhere.add(secret, 'two'))).toBe('VAULT_SEALED')
    expect((await api.vault.getSecret({ ...elsewhere.at, id: secret })).latest_version).toBe('1')
    expect(await read(secret, '1')).toBe('one')
    // A sealed server still reduces.
    await api.vault.destroySecretVersion({ ...elsewhere.at, secret, id: '1', body: {} })
    expect(await outcomeOf(read(secret, '1'))).toBe('SECRET_VERSION_DESTROYED')
    await sealed.kill()
  })

  it('serve while a third one encrypts the keys of the vault under a new root key', async () => {
    const { here, there, workspace } = await tenant('rewrapped')
    const { add, at, create, read } = secretCalls({ api: here }, workspace)
    const secret = await create('password')
    await add(secret, 'one')
    const outcomes = new Set<string>()
    const over = new AbortController()
    const load = async (api: Ninefold): Promise<void> => {
      const calls = secretCalls({ api }, workspace)
      while (!over.signal.aborted) {
        outcomes.add(await outcomeOf(calls.add(secret, 'more')))
        expect(await calls.read(secret, '1')).toBe('one')
      }
    }
    const second = root('second')
    const previous = {
      NINEFOLD_VAULT_SEAL_PREVIOUS_KEY: first['NINEFOLD_VAULT_SEAL_CURRENT_KEY'] ?? '',
      NINEFOLD_VAULT_SEAL_PREVIOUS_KEY_ID: 'first',
    }
    const starting = async (): Promise<ServedPlatform> => {
      try {
        return await start({ ...second, ...previous })
      } finally {
        over.abort()
      }
    }
    const [renewed] = await Promise.all([starting(), load(here), load(there)])
    expect([...outcomes]).toEqual(['OK'])
    const { api } = await renewed.admin()
    expect(await secretCalls({ api }, workspace).read(secret, '1')).toBe('one')
    const { latest_version } = await api.vault.getSecret({ ...at, id: secret })
    for (let number = 2; number <= Number(latest_version); number += 1)
      expect(await secretCalls({ api }, workspace).read(secret, String(number))).toBe('more')
    expect(await read(secret, '1')).toBe('one')
    // A server that starts with the old root key alone is sealed; the new root key opens the vault.
    const outdated = await start(first)
    expect(await readiness(outdated)).toBe('degraded')
    expect(await readiness(await start(second))).toBe('ready')
    expect(await doctorFindings(place)).toEqual([])
  })
})
