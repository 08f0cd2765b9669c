import { expect, it } from 'vitest'
import type { Reader } from '../../../../domain/ports/store.ts'
import { materialCollection } from '../../../../domain/vault/keys/key-versions-store.ts'
import { Materials, type MaterialOwner, type OpenMaterial } from '../../../../domain/vault/keys/materials.ts'
import type { KeyChanges } from '../../../../domain/vault/seal/key-changes.ts'
import { Keyring } from '../../../../domain/vault/seal/keyring.ts'
import { isOpenSafe, openSafe } from '../../../../domain/vault/seal/open-safe.ts'
import { sealCollections } from '../../../../domain/vault/seal/seal-store.ts'
import { createClock } from '../../../../server/clock.ts'
import { absentId } from '../../../areas/members.ts'
import { testStore } from '../../../server/store/harness.ts'
import { rootKey, workspace } from '../keyrings.ts'

const place = { workspace, type: 'vault.secretVersions', id: 'one', version: '1' }
const secret = Buffer.from('hunter2')

/** Returns a reader or transaction that calls `act` before it answers the read with the number `at`, counted from 1. */
function actingAt<R extends Reader>(reader: R, at: number, act: () => void): R {
  let reads = 0
  return new Proxy(reader, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      if (name !== 'get' && name !== 'insert') return member.bind(target)
      return async (...given: readonly unknown[]) => {
        const answer: unknown = await Reflect.apply(member, target, given)
        if ((reads += 1) === at) act()
        return answer
      }
    },
  })
}

/** Returns a store with an open keyring, the material of a version, and the caches of changes. */
async function opened() {
  const store = await testStore(...sealCollections, materialCollection)
  const roots = { current: rootKey('first') }
  const keyring = new Keyring(store)
  const unseal = async (): Promise<void> => {
    const safe = await openSafe(store, createClock(), roots)
    if (isOpenSafe(safe)) keyring.unseal(safe, roots)
  }
  await unseal()
  const caches: Parameters<KeyChanges['listen']>[0][] = []
  const materials = new Materials(keyring, { revise: async () => {}, listen: cache => void caches.push(cache) })
  const version: MaterialOwner = {
    row_id: `${absentId}/versions/1`,
    id: '1',
    crypto_key_id: absentId,
    workspace_id: workspace,
    algorithm: 'VAULT_CRYPTO_KEY_ALGORITHM_AES_256_GCM',
  }
  const material = Buffer.alloc(32, 'material')
  await store.tx(tx => materials.add(tx, version, material))
  const forget = (): void => {
    for (const cache of caches) cache.changed(`cryptoKeys/${absentId}`)
  }
  return { forget, keyring, material, materials, store, unseal, version }
}

const isSealed = { reason: 'VAULT_SEALED', rpc: 'UNAVAILABLE' }

it('a call during a seal answers VAULT_SEALED at whichever read the seal comes, and never that data is corrupt', async () => {
  const { keyring, materials, store, unseal, version } = await opened()
  const seal = (): void => keyring.seal('the test seals the vault')
  const wrapped = await store.tx(tx => keyring.wrap(tx, place, secret))
  const elsewhere = { ...place, workspace: '01890000-0000-7000-8000-000000000002' }
  // The keyring has read neither key, so that each call reads one.
  const calls: Readonly<Record<string, (at: number) => Promise<unknown>>> = {
    unwrap: at => keyring.unwrap(actingAt(store, at, seal), place, wrapped),
    'wrap with a key': at => store.tx(tx => keyring.wrap(actingAt(tx, at, seal), place, secret)),
    'wrap without a key': at => store.tx(tx => keyring.wrap(actingAt(tx, at, seal), elsewhere, secret)),
    derive: at => store.tx(tx => keyring.derive(actingAt(tx, at, seal), workspace, 'capsules')),
    'use of material': at => materials.use(actingAt(store, at, seal), version, () => undefined),
  }
  const outcomes: string[] = []
  for (const [name, call] of Object.entries(calls))
    for (const at of [1, 2]) {
      await unseal()
      const outcome = await call(at).then(
        () => 'answered',
        error => String(error.reason ?? error),
      )
      outcomes.push(`${name} at ${at}: ${outcome}`)
      seal()
    }
  expect(outcomes).toEqual([
    'unwrap at 1: VAULT_SEALED',
    'unwrap at 2: answered',
    'wrap with a key at 1: VAULT_SEALED',
    'wrap with a key at 2: answered',
    'wrap without a key at 1: VAULT_SEALED',
    'wrap without a key at 2: VAULT_SEALED',
    'derive at 1: VAULT_SEALED',
    'derive at 2: answered',
    'use of material at 1: VAULT_SEALED',
    'use of material at 2: VAULT_SEALED',
  ])
})

it('a seal overwrites the cached material of keys, and a use that began before caches nothing', async () => {
  const { keyring, material, materials, store, unseal, version } = await opened()
  let kept: OpenMaterial | undefined
  const use = (reader: Reader = store) =>
    materials.use(reader, version, opened => {
      kept = opened
      return Buffer.from(material).equals(Buffer.isBuffer(opened) ? opened : Buffer.alloc(0))
    })
  expect([await use(), materials.cached]).toEqual([true, 1])
  keyring.seal('the test seals the vault')
  expect([kept, materials.cached]).toEqual([Buffer.alloc(32), 0])
  await expect(use()).rejects.toMatchObject(isSealed)
  await unseal()
  const during = actingAt(store, 2, () => {
    keyring.seal('the test seals the vault')
  })
  await expect(use(during)).rejects.toMatchObject(isSealed)
  expect(materials.cached).toBe(0)
})

it('a use that began before the destruction of its version caches nothing', async () => {
  const { forget, materials, store, version } = await opened()
  let kept: OpenMaterial | undefined
  const during = actingAt(store, 1, forget)
  await materials.use(during, version, opened => void (kept = opened))
  expect([kept, materials.cached]).toEqual([Buffer.alloc(32), 0])
})
