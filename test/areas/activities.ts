import {
  activityCollection,
  platformChain,
  type StoredActivity,
} from '../../domain/observability/activities/activities-store.ts'
import type { Reader } from '../../domain/ports/store.ts'
import { outbox, type OutboxRow } from '../../domain/resources/activity-outbox.ts'
import { areas } from '../../server/areas.ts'
import { openStoreSnapshot, type StorePlace } from '../../server/platform-store.ts'

/** Returns the recorded activities of a store, in the order of their ids. */
export async function recordedActivities(place: StorePlace): Promise<readonly OutboxRow[]> {
  const snapshot = await openStoreSnapshot(place, areas)
  try {
    return await activitiesIn(snapshot)
  } finally {
    await snapshot.close()
  }
}

/**
 * Returns the recorded activities in the form of the outbox, whether or not the sequencer has moved them, in the order
 * of their ids.
 */
export async function activitiesIn(reader: Pick<Reader, 'each'>): Promise<readonly OutboxRow[]> {
  // An activity that is moved between the two reads is found twice, and kept once.
  const found = new Map<string, OutboxRow>()
  for await (const { value } of reader.each(outbox)) found.set(value.id, value)
  for await (const { value } of reader.each(activityCollection)) found.set(value.id, rowOf(value))
  return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

const rowOf = ({ chain_id, count, ...activity }: StoredActivity): OutboxRow => ({
  ...activity,
  ...(count !== 1 && { count }),
  category: activity.category.replace('OBSERVABILITY_ACTIVITY_CATEGORY_', ''),
  outcome: activity.outcome.replace('OBSERVABILITY_ACTIVITY_OUTCOME_', ''),
  principal_kind: activity.principal_kind.replace('OBSERVABILITY_PRINCIPAL_KIND_', ''),
  scope_type: activity.scope_type.replace('OBSERVABILITY_SCOPE_TYPE_', ''),
  organisation_id: chain_id === platformChain ? '' : chain_id,
})
