import type { JsonObject } from '../../../../generator/conform/json.ts'
import { secretVersionCollection, versionRowId } from '../../../../domain/vault/secrets/secret-versions-store.ts'
import { secretCollection } from '../../../../domain/vault/secrets/secrets-store.ts'
import { references } from '../../../../domain/resources/references.ts'
import { absentId } from '../../../areas/members.ts'
import { withBody, type Aim } from '../../aim.ts'
import type { AreaRecipes, Fault, Recipe } from '../../recipe.ts'
import { resourceRecipes, type Resource } from '../../resource-recipes.ts'
import { noRoomIn } from '../../taxonomy-quota.ts'
import type { World } from '../../world.ts'

const payload: JsonObject = { payload: { data: 'czNjcjN0LXYx' } }

const noAlias: Fault = {
  reason: 'SECRET_VERSION_NOT_FOUND',
  apply: aim => withBody(aim, { version_aliases: { stable: '9' } }),
}

/** A row of another area refers to the secret. */
const inUse: Fault = {
  reason: 'SECRET_IN_USE',
  async apply(aim, { store }) {
    const id = aim.path['id'] ?? ''
    const reference = { target_type: 'vault.secrets', target_id: id, holder_type: 'storage.storageClasses' }
    await store.tx(tx => tx.insert(references, { id: `${id}/held`, ...reference, holder_id: absentId }))
    return aim
  },
}

const secret: Resource = {
  noun: 'Secret',
  body: ({ newName }) => ({ name: newName() }),
  calls: {
    create: { faults: { reference: noAlias, quota: noRoomIn('WORKSPACE', 'vault.secrets') } },
    update: { body: { display_name: 'another' }, faults: { reference: noAlias } },
    delete: { faults: { state: inUse } },
  },
}

/** Creates a secret with a version; returns the path of the version. */
async function newVersion({ newName, newPlace, run }: World): Promise<Aim['path']> {
  const place = { workspace: (await newPlace()).workspace, engine: 'native' }
  const path = { ...place, secret: await run('createSecret', { path: place, body: { name: newName() } }) }
  await run('addSecretVersion', { path, body: payload })
  return { ...path, id: '1' }
}

const callVersion: Recipe['aim'] = async world => ({ path: await newVersion(world), body: {} })

/** The version is destroyed. The fault writes to the store, because no call destroys in a suspended workspace. */
const destroyed: Fault = {
  reason: 'SECRET_VERSION_DESTROYED',
  async apply(aim, { store }) {
    await store.tx(async tx => {
      const version = await tx.lock(secretVersionCollection, versionRowId(aim.path['secret'] ?? '', '1'))
      if (!version) return
      const row = { ...version.value, state: 'VAULT_SECRET_VERSION_STATE_DESTROYED' } as const
      await tx.update(secretVersionCollection, version.id, row, version.version)
    })
    return aim
  },
}

/** The secret has as many versions as a secret may have. */
const manyVersions: Fault = {
  reason: 'SECRET_VERSION_QUOTA_EXCEEDED',
  async apply(aim, { store }) {
    const id = aim.path['secret'] ?? ''
    await store.tx(async tx => {
      const found = await tx.lock(secretCollection, id)
      const first = await tx.get(secretVersionCollection, versionRowId(id, '1'))
      if (!found || !first) return
      for (let version = 2; version <= 1000; version += 1) {
        const row_id = versionRowId(id, String(version))
        await tx.insert(secretVersionCollection, { ...first.value, id: String(version), version, row_id })
      }
      await tx.update(secretCollection, id, { ...found.value, latest_version: '1000' }, found.version)
    })
    return aim
  },
}

const versions: Readonly<Record<string, Recipe>> = {
  addSecretVersion: {
    async aim(world) {
      const { id: _id, ...path } = await newVersion(world)
      return { path, body: payload }
    },
    faults: {
      rule: {
        reason: 'CHECKSUM_MISMATCH',
        apply: aim => withBody(aim, { payload: { data: 'czNjcjN0LXYx', data_crc32c: 1 } }),
      },
      quota: manyVersions,
    },
    unmade: {
      reference: 'the secret of the test names no crypto key',
      seal: 'the vault of the test is unsealed; test/domain/vault/sealed.test.ts makes its neighbours',
    },
  },
  disableSecretVersion: { aim: callVersion, faults: { state: destroyed }, absent: { id: '9' } },
  destroySecretVersion: { aim: callVersion, faults: { state: destroyed }, absent: { id: '9' } },
}

/** The recipes of secrets and their versions. */
export const secretRecipes: AreaRecipes = {
  operations: { ...resourceRecipes(secret), ...versions },
  reasons: {
    // These errors judge the versions and the crypto key that the body or the secret names.
    'updateSecret.SECRET_VERSION_DESTROYED': 'reference',
    'createSecret.CRYPTO_KEY_DELETE_SCHEDULED': 'reference',
    'createSecret.KEY_PURPOSE_MISMATCH': 'reference',
    'addSecretVersion.KEY_VERSION_DISABLED': 'reference',
    'addSecretVersion.KEY_VERSION_DESTROYED': 'reference',
  },
}
