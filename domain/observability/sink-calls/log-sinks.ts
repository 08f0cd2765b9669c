import type { ObservabilityArea } from '../../../output/observability/area.ts'
import type { LogSinkHandlers } from '../../../output/observability/handlers.ts'
import type {
  ListLogSinksRequest,
  LogSink,
  LogSinkUpdate,
  ParsedCreateLogSinkRequest,
  UpdateLogSinkRequest,
} from '../../../output/observability/types.ts'
import { logSinkFields } from '../../../output/observability/validators.ts'
import type { CallContext, ListContext } from '../../../runtime/context.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { applyUpdate } from '../../../runtime/field-mask.ts'
import type { Page } from '../../../runtime/pagination.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { requirePlace } from '../../resources/find-rows.ts'
import { jsonText } from '../../resources/json-text.ts'
import { Resources } from '../../resources/resources.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { wrapSecret } from '../notifications/webhook-secret.ts'
import { consumeLimit } from '../quotas/limits.ts'
import { withoutSecret } from '../sinks/destination.ts'
import { logSinkKind } from '../sinks/log-sink-kind.ts'
import { logSinkCollection, type StoredLogSink } from '../sinks/log-sinks-store.ts'
import { dropExports } from '../sinks/sink-exports-store.ts'
import { sinkState } from '../sinks/sink-state.ts'
import { requireNoSeveralKinds, requireOneKind, requireQueries, requireUrls } from './require-sink.ts'
import { sinkAnswer } from './sink-answer.ts'
import { referToTargets } from './sink-references.ts'
import { sinkRights } from './sink-rights.ts'
import { beginExports, retryExports, storeSecret } from './sink-rows.ts'

type Sinks = Resources<StoredLogSink, ObservabilityArea>

/** Returns the handlers of log sinks. */
export function logSinks(environment: ObservabilityEnvironment): LogSinkHandlers {
  const { clock, store } = environment
  const resources: Sinks = new Resources(logSinkKind, environment)
  return {
    listLogSinks: (request, context) => listSinks(environment, request, context),
    async getLogSink(request) {
      const { value } = await resources.read(request)
      return jsonText(await sinkAnswer(store, value, clock.now()))
    },
    createLogSink: (request, context) => createSink(environment, resources, request, context),
    updateLogSink: (request, context) => updateSink(environment, resources, request, context),
    deleteLogSink: (request, context) =>
      resources.delete(request, context, { release: (tx, { id }) => dropExports(tx, id) }),
  }
}

async function listSinks(
  { clock, store, taxonomy }: ObservabilityEnvironment,
  { engine, workspace }: ListLogSinksRequest,
  { query }: ListContext,
): Promise<Page<LogSink>> {
  const page = await store.page(logSinkCollection, query, { workspace_id: workspace, engine })
  if (page.items.length === 0) await requirePlace(store, taxonomy, logSinkKind, { workspace, engine })
  const now = clock.now()
  const items = page.items.map(async ({ value }) => jsonText(await sinkAnswer(store, value, now)))
  return { ...page, items: await Promise.all(items) }
}

async function createSink(
  environment: ObservabilityEnvironment,
  resources: Sinks,
  request: ParsedCreateLogSinkRequest,
  context: CallContext,
) {
  const { body, workspace } = request
  const requireRights = await sinkRights(environment, context, workspace)
  requireRights(body)
  requirePast(body.start_time, context.now)
  requireOneKind(body.destination)
  requireQueries(body)
  await requireUrls(environment.outbound, body.destination)
  const secret = wrappedSecret(environment, body.destination)
  const row = newSink(resources, request, context)
  return resources.create(request, context, row, {
    async refer(tx) {
      await referToTargets(environment, tx, row)
      if (secret instanceof ApiError) throw secret
    },
    async count(tx) {
      if (!(secret instanceof ApiError)) await storeSecret(tx, row, secret)
      await beginExports(tx, row, context.now)
      await consumeLimit(tx, environment.limits, 'logSinks', { workspace, now: context.now })
    },
  })
}

function newSink(resources: Sinks, request: ParsedCreateLogSinkRequest, context: CallContext): StoredLogSink {
  const { destination, etag: _precondition, start_time, ...settable } = request.body
  const standard = resources.standard(request, context)
  return {
    ...standard,
    ...settable,
    destination: withoutSecret(destination),
    start_time: start_time === undefined ? standard.create_time : formatMillis(Date.parse(start_time)),
    state: sinkState(settable, []),
  }
}

async function updateSink(
  environment: ObservabilityEnvironment,
  resources: Sinks,
  request: UpdateLogSinkRequest,
  context: CallContext,
) {
  const { body, update_mask, workspace } = request
  const requireRights = await sinkRights(environment, context, workspace)
  requireRights(body)
  requireNoSeveralKinds(body.destination ?? {})
  requireQueries(body)
  await requireUrls(environment.outbound, body.destination ?? {})
  const secret = wrappedSecret(environment, body.destination)
  return resources.update({ ...request, body: withStart(body) }, context, {
    found: before => requireRights(afterUpdate(before, body, update_mask)),
    async refer(tx, { changed, value }, before) {
      requireOneKind(value.destination)
      await referToTargets(environment, tx, value, before)
      if (secret instanceof ApiError && takesSecret(changed)) throw secret
      return { members: { destination: withoutSecret(value.destination), state: sinkState(value, []) } }
    },
    async count(tx, { changed, value }, before) {
      await storeSecret(tx, value, takesSecret(changed) && !(secret instanceof ApiError) ? secret : undefined)
      await beginExports(tx, value, context.now)
      await retryExports(tx, value, before, context.now)
    },
  })
}

/** Whether an update with these changed paths takes the secret of its body. */
const takesSecret = (changed: readonly string[]): boolean => changed.includes('destination.webhook.secret')

/** Returns a body with the start in the form of stored sinks, so that the same time is no change. */
const withStart = ({ start_time, ...body }: LogSinkUpdate): LogSinkUpdate => ({
  ...body,
  ...(start_time !== undefined && { start_time: formatMillis(Date.parse(start_time)) }),
})

/** Returns a sink after an update; the sink before for an update that fails. */
function afterUpdate(before: StoredLogSink, body: LogSinkUpdate, mask: string | undefined): StoredLogSink {
  try {
    return applyUpdate(logSinkFields, before, body, mask).value
  } catch (error) {
    if (error instanceof ApiError) return before
    throw error
  }
}

const wrappedSecret = (
  { functions }: ObservabilityEnvironment,
  destination: LogSinkUpdate['destination'],
): string | ApiError | undefined => destination?.webhook && wrapSecret(functions.vault, destination.webhook)

/** Throws FIELD_INVALID for a start that is later than `now`, in milliseconds since 1970. */
function requirePast(start: string | undefined, now: number): void {
  if (start !== undefined && Date.parse(start) > now)
    throw fieldInvalid([{ field: 'start_time', description: 'must not be in the future' }])
}
