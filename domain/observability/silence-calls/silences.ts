import type { ObservabilityArea } from '../../../output/observability/area.ts'
import { silenceExpired, silenceNotFound } from '../../../output/observability/errors.ts'
import type { SilenceHandlers } from '../../../output/observability/handlers.ts'
import type { DeleteSilenceRequest, ParsedCreateSilenceRequest, Silence } from '../../../output/observability/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { requireWorkspace } from '../../resources/find-rows.ts'
import { Resources } from '../../resources/resources.ts'
import { standardMembers } from '../../resources/standard-members.ts'
import { withAnsweredTimes } from '../../resources/answered-times.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { consumeLimit } from '../quotas/limits.ts'
import { countMatched } from '../silences/matched-alerts.ts'
import { requireForm, requireTimes, startOf } from './silence-form.ts'
import { silenceKind, type StoredSilence } from '../silences/silences-store.ts'
import { isForgotten, readableAt, silenceStates, stateAt } from '../silences/state-at.ts'

type Silences = Resources<StoredSilence, ObservabilityArea>

/** Returns the handlers of silences. */
export function silences(environment: ObservabilityEnvironment): SilenceHandlers {
  const { store, taxonomy } = environment
  const resources: Silences = new Resources(silenceKind, environment)
  return {
    async listSilences({ workspace }, { query }) {
      const page = await store.page(silenceKind.collection, readableAt(query), { workspace_id: workspace })
      if (page.items.length === 0) await requireWorkspace(store, taxonomy, workspace)
      const rows = page.items.map(({ value }) => value)
      const counts = await countMatched(store, workspace, rows)
      return { ...page, items: rows.map(row => answer(row, counts, query.now)) }
    },
    async createSilence(request, context) {
      return createSilence(environment, resources, request, context)
    },
    async getSilence(request, { now }) {
      const { value } = await resources.read(request)
      requireReadable(value, now)
      return answer(value, await countMatched(store, request.workspace, [value]), now)
    },
    deleteSilence: (request, context) => deleteSilence(resources, request, context),
  }
}

function createSilence(
  { clock, limits }: ObservabilityEnvironment,
  resources: Silences,
  request: ParsedCreateSilenceRequest,
  context: CallContext,
) {
  const { body, workspace } = request
  const { now, principal } = context
  requireForm(body)
  const { etag: _precondition, ...settable } = withAnsweredTimes(body, 'end_time')
  const times = { start_time: formatMillis(startOf(body, now)), end_time: settable.end_time }
  const row: StoredSilence = {
    ...standardMembers(clock, context),
    ...settable,
    ...times,
    state: stateAt(times, now),
    created_by_principal_id: principal?.id ?? '',
    workspace_id: workspace,
  }
  return resources.create(request, context, row, {
    // The time of the call decides about the times, so the answer to a repeated call is found first.
    refer: async () => requireTimes(body, now),
    count: tx => consumeLimit(tx, limits, 'silences', { workspace, now }),
  })
}

function deleteSilence(resources: Silences, { etag, ...path }: DeleteSilenceRequest, context: CallContext) {
  const { now } = context
  const time = formatMillis(now)
  const request = { ...path, ...(etag !== undefined && { body: { etag } }) }
  return resources.verb(
    'delete',
    request,
    context,
    async (_tx, { end_time, id, start_time, state }) => {
      // A concurrent deletion may have ended the silence at a later time than that of this call.
      if (state === silenceStates.expired || Date.parse(end_time) <= now) {
        const description = `silence ${id} had ended at ${end_time}; nothing was changed`
        return { warnings: [{ code: silenceExpired.code, description }] }
      }
      // A silence that has not begun never held, and starts and ends now.
      const start = start_time > time ? time : start_time
      return { members: { start_time: start, end_time: time, state: silenceStates.expired } }
    },
    { found: silence => requireReadable(silence, now) },
  )
}

/** Throws SILENCE_NOT_FOUND for a silence that ended more than 120 hours ago. */
function requireReadable(silence: StoredSilence, now: number): void {
  if (!isForgotten(silence, now)) return
  throw silenceNotFound(`silence ${silence.id} ended more than 120 hours ago`, {
    resource: { type: silenceKind.type, name: silence.id },
  })
}

/** Returns a silence as it is at `now`; `counts` has the number of alerts that it matches, keyed by its id. */
function answer(row: StoredSilence, counts: ReadonlyMap<string, number>, now: number): Silence {
  const { update_time: _update, workspace_id: _workspace, ...shown } = row
  return { ...shown, state: stateAt(row, now), matched_alert_count: counts.get(row.id) ?? 0 }
}
