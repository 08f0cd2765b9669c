import { capsuleCollection, capsuleState } from '../../../../domain/vault/capsules/capsules-store.ts'
import { absentId } from '../../../areas/members.ts'
import { withBody } from '../../aim.ts'
import type { AreaRecipes, Fault } from '../../recipe.ts'
import { resourceRecipes, type Resource } from '../../resource-recipes.ts'

const payload = { data: 'aGVsbG8=' }

const badChecksum: Fault = {
  reason: 'CHECKSUM_MISMATCH',
  apply: aim => withBody(aim, { payload: { ...payload, data_crc32c: 1 } }),
}

const noSecret: Fault = {
  reason: 'SECRET_NOT_FOUND',
  apply: ({ body: { payload: _payload, ...body } = {}, ...aim }) => ({
    ...aim,
    body: { ...body, source: { secret_id: absentId } },
  }),
}

/** The workspace has as many active capsules as it may have. */
const manyCapsules: Fault = {
  reason: 'CAPSULE_QUOTA_EXCEEDED',
  async apply(aim, { newName, run, store }) {
    const { engine = '', workspace = '' } = aim.path
    const path = { workspace, engine }
    const id = await run('createCapsule', { path, body: { name: newName(), payload } })
    await store.tx(async tx => {
      const first = await tx.get(capsuleCollection, id)
      if (!first) return
      for (let i = 1; i < 1000; i += 1)
        await tx.insert(capsuleCollection, { ...first.value, id: `${id}-${i}`, name: `${first.value.name}-${i}` })
    })
    return aim
  },
}

/** The capsule is revoked. The fault writes to the store, because it is made for suspended workspaces too. */
const revoked: Fault = {
  reason: 'CAPSULE_NOT_ACTIVE',
  async apply(aim, { store }) {
    await store.tx(async tx => {
      const capsule = await tx.lock(capsuleCollection, aim.path['id'] ?? '')
      if (!capsule) return
      const row = { ...capsule.value, state: capsuleState('REVOKED') }
      await tx.update(capsuleCollection, capsule.id, row, capsule.version)
    })
    return aim
  },
}

const capsule: Resource = {
  noun: 'Capsule',
  body: ({ newName }) => ({ name: newName(), payload }),
  calls: {
    create: {
      faults: { rule: badChecksum, reference: noSecret, quota: manyCapsules },
      unmade: {
        seal: 'the vault of the test is unsealed; test/domain/vault/sealed.test.ts makes its neighbours',
      },
    },
    revoke: { faults: { state: revoked } },
  },
}

/** The recipes of capsules. */
export const capsuleRecipes: AreaRecipes = {
  operations: resourceRecipes(capsule),
  reasons: {
    // These errors judge the version of the secret that the body names.
    'createCapsule.SECRET_NOT_FOUND': 'reference',
    'createCapsule.SECRET_VERSION_NOT_FOUND': 'reference',
    'createCapsule.SECRET_VERSION_DISABLED': 'reference',
    'createCapsule.SECRET_VERSION_DESTROYED': 'reference',
    'createCapsule.KEY_VERSION_DISABLED': 'reference',
    'createCapsule.KEY_VERSION_DESTROYED': 'reference',
  },
}
