import { addReference } from '../../../../domain/resources/references.ts'
import { withBody } from '../../aim.ts'
import type { AreaRecipes, Fault, Recipe } from '../../recipe.ts'
import { resourceRecipes, type Resource } from '../../resource-recipes.ts'

/** The fault that a bucket has the storage class in the path. */
const inUse: Fault = {
  reason: 'STORAGE_CLASS_IN_USE',
  async apply(aim, { store }) {
    const target = { type: 'storage.storageClasses', id: aim.path['id'] ?? '' }
    await store.tx(tx => addReference(tx, target, { type: 'storage.buckets', id: 'a-bucket' }))
    return aim
  },
}

/** The fault that an update makes a second default class. */
const secondDefault: Fault = {
  reason: 'STORAGE_CLASS_DEFAULT_CONFLICT',
  apply: aim => withBody(aim, { is_default: true }),
}

const unmade = { state: 'only a class of an S3 store is probed, and only its regions can be taken away' } as const

const storageClass: Resource = {
  noun: 'StorageClass',
  at: async () => ({ engine: 'native' }),
  body: ({ newName }) => ({ name: newName(), tier: 'STORAGE_TIER_COLD' }),
  calls: {
    create: { unmade },
    update: { body: { display_name: 'changed' }, faults: { uniqueness: secondDefault }, unmade },
    delete: { faults: { state: inUse } },
  },
}

const instantiate: Recipe = {
  async aim(world) {
    const body = { name: world.newName(), tier: 'STORAGE_TIER_COLD' }
    const storage_class = await world.run('createStorageClass', { path: { engine: 'native' }, body })
    return { path: { storage_class }, body: { name: 'first', location: 'local' } }
  },
  faults: {
    reference: { reason: 'FIELD_INVALID', apply: aim => withBody(aim, { location: 'nowhere' }) },
    uniqueness: {
      reason: 'INSTANCE_ALREADY_EXISTS',
      async apply(aim, { run }) {
        await run('instantiateStorageClass', { path: aim.path, body: { name: 'first', location: 'local' } })
        return aim
      },
    },
  },
}

export const classRecipes: AreaRecipes = {
  operations: { ...resourceRecipes(storageClass), instantiateStorageClass: instantiate },
  reasons: { STORAGE_CLASS_IN_USE: 'state' },
}
