import { quotaOverrideAlreadyExists } from '../../../output/taxonomy/errors.ts'
import { quotaOverridesList } from '../../../output/taxonomy/filters.ts'
import type { QuotaOverride } from '../../../output/taxonomy/types.ts'
import type { Collection, Reader, Transaction } from '../../ports/store.ts'
import type { Scope } from '../../ports/scope.ts'

/** A stored override; its usage is summed at each read. */
export type StoredOverride = Omit<QuotaOverride, 'usage'>

/** The overrides of all quotas, at most one for each quota and node. */
export const quotaOverrides: Collection<StoredOverride> = {
  name: 'taxonomy_quota_overrides',
  id: 'id',
  list: quotaOverridesList,
  listedBelow: 'quota_id',
  columns: { quota_id: 'STRING' },
  uniques: [
    {
      fields: ['quota_id', 'scope_type', 'scope_id'],
      taken: ({ quota_id, scope_type, scope_id }) =>
        quotaOverrideAlreadyExists(
          `quota ${quota_id} has an override at ${scope_type} ${scope_id} already; update it`,
          {
            resource: { type: 'taxonomy.quotaOverrides', name: `${quota_id}/${scope_id}` },
          },
        ),
    },
  ],
  indexes: [['scope_id']],
}

/** Returns the override of a quota at exactly this scope; undefined if there is none. */
export async function overrideAt(reader: Reader, quota: string, scope: Scope): Promise<StoredOverride | undefined> {
  const where = { quota_id: quota, scope_type: `TAXONOMY_SCOPE_TYPE_${scope.type}`, scope_id: scope.id }
  return (await reader.find(quotaOverrides, where))?.value
}

/** Deletes the overrides at a deleted node. */
export async function deleteOverridesAt(tx: Transaction, node: string): Promise<void> {
  for await (const { id, version } of tx.each(quotaOverrides, { scope_id: node })) {
    await tx.delete(quotaOverrides, id, version)
  }
}
