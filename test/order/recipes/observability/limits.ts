import { definitionId, type QuotaName } from '../../../../domain/observability/quotas/definitions.ts'
import { limitCollection, limitId } from '../../../../domain/observability/quotas/limits-store.ts'
import type { Fault } from '../../recipe.ts'

/** Makes the fault that the workspace in the path has no room for a further resource. */
export const noRoom = (name: QuotaName): Fault => ({
  reason: 'QUOTA_EXCEEDED',
  async apply(aim, { store }) {
    const id = limitId(definitionId(name), aim.path['workspace'] ?? '')
    await store.tx(async tx => {
      const stored = await tx.lock(limitCollection, id)
      if (stored) await tx.update(limitCollection, id, { ...stored.value, limit: 0 }, stored.version)
    })
    return aim
  },
})
