import { bucketCollection, type StoredBucket } from '../../../../domain/storage/buckets/buckets-store.ts'
import { withBody, type Aim } from '../../aim.ts'
import type { AreaRecipes, Fault } from '../../recipe.ts'
import { resourceRecipes, type Resource } from '../../resource-recipes.ts'
import type { World } from '../../world.ts'
import { noRoomIn } from '../../taxonomy-quota.ts'

/** Changes the row of the bucket in the path, without an update by a call. */
const withRow = async (aim: Aim, { store }: World, members: Partial<StoredBucket>): Promise<void> =>
  store.tx(async tx => {
    const stored = await tx.lock(bucketCollection, aim.path['id'] ?? '')
    if (!stored) throw new Error('the path names no bucket')
    await tx.update(bucketCollection, stored.id, { ...stored.value, ...members }, stored.version)
  })

/** The fault that the bucket in the path is being deleted. */
const deleting: Fault = {
  reason: 'BUCKET_DELETING',
  async apply(aim, world) {
    await withRow(aim, world, { state: 'STORAGE_BUCKET_STATE_DELETING' })
    return aim
  },
}

/** The fault that an update disables versioning, which is enabled. */
const disabling: Fault = {
  reason: 'VERSIONING_TRANSITION_INVALID',
  async apply(aim, world) {
    await withRow(aim, world, { versioning: 'STORAGE_VERSIONING_ENABLED' })
    return withBody(aim, { versioning: 'STORAGE_VERSIONING_DISABLED' })
  },
}

const bucket: Resource = {
  noun: 'Bucket',
  body: ({ newName }) => ({ name: newName() }),
  calls: {
    create: {
      faults: {
        reference: { reason: 'STORAGE_CLASS_NOT_FOUND', apply: aim => withBody(aim, { storage_class: 'absent' }) },
        quota: noRoomIn('WORKSPACE', 'storage.buckets'),
      },
    },
    update: { body: { display_name: 'changed' }, faults: { state: deleting, reference: disabling } },
    delete: { faults: { state: deleting } },
  },
}

export const bucketRecipes: AreaRecipes = {
  operations: resourceRecipes(bucket),
  reasons: {
    // The class and its instances are compared with the place that the bucket names.
    NO_READY_INSTANCE: 'reference',
    // The new values are compared with the values of the row.
    VERSIONING_TRANSITION_INVALID: 'reference',
    RETENTION_POLICY_LOCKED: 'reference',
  },
}
