import type { Aim } from './aim.ts'
import type { Fault } from './recipe.ts'

type ScopeType = 'ORGANISATION' | 'GROUP' | 'WORKSPACE'

/**
 * Makes the fault that a quota of the taxonomy is exhausted at a scope, by default at the scope of this type in the
 * path.
 */
export const noRoomIn = (
  type: ScopeType,
  quota: string,
  scopeOf: (aim: Aim) => string = ({ path }) => path[type.toLowerCase()] ?? '',
): Fault => ({
  reason: 'QUOTA_EXCEEDED',
  async apply(aim, { run }) {
    const body = { scope_type: `TAXONOMY_SCOPE_TYPE_${type}`, scope_id: scopeOf(aim), limit: 0 }
    await run('createQuotaOverride', { path: { quota }, body })
    return aim
  },
})
