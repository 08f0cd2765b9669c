import { activityNotFound } from '../../../output/observability/errors.ts'
import type { ActivityHandlers } from '../../../output/observability/handlers.ts'
import { isUuid } from '../../../runtime/formats.ts'
import { platform, seenBy, type ScopeOf } from '../../ports/access.ts'
import type { Scope } from '../../ports/scope.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { activityCollection, type StoredActivity } from './activities-store.ts'

/** Returns the handlers of activities. */
export const activities = ({ access, store }: ObservabilityEnvironment): ActivityHandlers => ({
  async listActivities(_request, context) {
    const seen = await access.visible(context, context.operation?.permission ?? '')
    return store.list(activityCollection, context.query, seenBy(seen, 'scope_id'))
  },
  async getActivity({ id }) {
    const stored = await store.get(activityCollection, id)
    if (stored) return stored.text
    throw activityNotFound(`activity ${id} does not exist; activities are kept for 400 days`, {
      resource: { type: 'observability.activities', name: id },
    })
  },
})

/** Finds the scope of `getActivity`: the scope at which the activity took place. */
export const activityScope: ScopeOf = async (reader, { path }) => {
  const id = path.get('id') ?? ''
  const stored = isUuid(id) ? await reader.get(activityCollection, id) : undefined
  return { scope: stored && scopeOf(stored.value), told: platform }
}

const scopesInTree = ['ORGANISATION', 'GROUP', 'WORKSPACE'] as const

function scopeOf({ scope_id, scope_type }: StoredActivity): Scope {
  const type = scopesInTree.find(each => `OBSERVABILITY_SCOPE_TYPE_${each}` === scope_type)
  return type === undefined ? platform : { type, id: scope_id }
}
