import type { JsonObject } from '../../../../generator/conform/json.ts'
import { cryptoKeyCollection } from '../../../../domain/vault/keys/crypto-keys-store.ts'
import {
  keyVersionCollection,
  keyVersionRowId,
  versionState,
  type ShortState,
} from '../../../../domain/vault/keys/key-versions-store.ts'
import { withBody, type Aim } from '../../aim.ts'
import type { AreaRecipes, Fault, Recipe } from '../../recipe.ts'
import { resourceRecipes, type Resource } from '../../resource-recipes.ts'
import { noRoomIn } from '../../taxonomy-quota.ts'
import type { World } from '../../world.ts'

const purpose = 'VAULT_CRYPTO_KEY_PURPOSE_ENCRYPT_DECRYPT'

const otherAlgorithm: Fault = {
  reason: 'ALGORITHM_NOT_ALLOWED',
  apply: aim => withBody(aim, { algorithm: 'VAULT_CRYPTO_KEY_ALGORITHM_HMAC_SHA256' }),
}

const noPrimary: Fault = {
  reason: 'KEY_VERSION_NOT_FOUND',
  apply: aim => withBody(aim, { primary_version: '9' }),
}

/** The deletion of the key is scheduled. The fault writes to the store, because no call deletes in a suspended workspace. */
const deleteScheduled = (parameter: string): Fault => ({
  reason: 'CRYPTO_KEY_DELETE_SCHEDULED',
  async apply(aim, { store }) {
    await store.tx(async tx => {
      const key = await tx.lock(cryptoKeyCollection, aim.path[parameter] ?? '')
      if (!key) return
      const row = { ...key.value, state: 'VAULT_CRYPTO_KEY_STATE_DELETE_SCHEDULED' } as const
      await tx.update(cryptoKeyCollection, key.id, row, key.version)
    })
    return aim
  },
})

/** The key has as many versions as a key may have. */
const manyVersions: Fault = {
  reason: 'KEY_VERSION_QUOTA_EXCEEDED',
  async apply(aim, { store }) {
    const id = aim.path['id'] ?? ''
    await store.tx(async tx => {
      const key = await tx.lock(cryptoKeyCollection, id)
      const first = await tx.get(keyVersionCollection, keyVersionRowId(id, '1'))
      if (!key || !first) return
      for (let version = 2; version <= 100; version += 1) {
        const row_id = keyVersionRowId(id, String(version))
        const row = { ...first.value, id: String(version), version, row_id, is_primary: false }
        await tx.insert(keyVersionCollection, row)
      }
      await tx.update(cryptoKeyCollection, id, { ...key.value, version_count: 100 }, key.version)
    })
    return aim
  },
}

const unsealed = 'the vault of the test is unsealed; test/domain/vault/sealed.test.ts makes its neighbours'

const key: Resource = {
  noun: 'CryptoKey',
  body: ({ newName }) => ({ name: newName(), purpose }),
  calls: {
    create: {
      faults: { rule: otherAlgorithm, quota: noRoomIn('WORKSPACE', 'vault.cryptoKeys') },
      unmade: { seal: unsealed },
    },
    update: {
      body: { display_name: 'another' },
      faults: { state: deleteScheduled('id'), reference: noPrimary },
    },
    delete: { faults: { state: deleteScheduled('id') } },
    rotate: { faults: { state: deleteScheduled('id'), quota: manyVersions }, unmade: { seal: unsealed } },
  },
}

/** Creates a key with two versions; returns the path of the older version. */
async function newVersion({ newName, newPlace, run }: World): Promise<Aim['path']> {
  const place = { workspace: (await newPlace()).workspace, engine: 'native' }
  const id = await run('createCryptoKey', { path: place, body: { name: newName(), purpose } })
  await run('rotateCryptoKey', { path: { ...place, id } })
  return { ...place, cryptokey: id, id: '1' }
}

const callVersion =
  (verb?: string): Recipe['aim'] =>
  async world => {
    const path = await newVersion(world)
    if (verb !== undefined) await world.run(verb, { path })
    const body: JsonObject = {}
    return { path, body }
  }

/** The version is in another state. The fault writes to the store, because no verb leads there in every state. */
const inState = (short: ShortState): Fault => ({
  reason: 'KEY_VERSION_STATE',
  async apply(aim, { store }) {
    await store.tx(async tx => {
      const row = keyVersionRowId(aim.path['cryptokey'] ?? '', aim.path['id'] ?? '')
      const version = await tx.lock(keyVersionCollection, row)
      if (version)
        await tx.update(keyVersionCollection, row, { ...version.value, state: versionState(short) }, version.version)
    })
    return aim
  },
})

const absent = { id: '9' }

/** The recipes of crypto keys and their versions. */
export const keyRecipes: AreaRecipes = {
  operations: {
    ...resourceRecipes(key),
    disableCryptoKeyVersion: { aim: callVersion(), faults: { state: inState('DESTROYED') }, absent },
    destroyCryptoKeyVersion: { aim: callVersion(), faults: { state: inState('DESTROYED') }, absent },
    cancelDestroyCryptoKeyVersion: {
      aim: callVersion('destroyCryptoKeyVersion'),
      faults: { state: inState('DESTROYED') },
      absent,
    },
  },
  reasons: {
    // These errors judge members of the body together with the stored key, or the version that the body names.
    'createCryptoKey.ALGORITHM_NOT_ALLOWED': 'rule',
    'createCryptoKey.ROTATION_NOT_SUPPORTED': 'rule',
    'updateCryptoKey.ALGORITHM_NOT_ALLOWED': 'reference',
    'updateCryptoKey.ROTATION_NOT_SUPPORTED': 'reference',
    'updateCryptoKey.KEY_VERSION_NOT_FOUND': 'reference',
    'updateCryptoKey.KEY_VERSION_DISABLED': 'reference',
    'updateCryptoKey.KEY_VERSION_DESTROYED': 'reference',
    'updateCryptoKey.KEY_VERSION_NOT_READY': 'reference',
  },
}
