import { calledBy, type Activity, type Audit } from '../../domain/ports/audit.ts'
import type { Store } from '../../domain/ports/store.ts'
import type { CallContext } from '../../runtime/context.ts'
import type { Doors } from '../../runtime/doors.ts'
import { ApiError } from '../../runtime/errors.ts'
import type { BoundRoute, Route } from '../../runtime/route.ts'
import { permissionDeniedReason } from '../../domain/resources/permission-denied.ts'
import type { Log } from '../log.ts'
import type { Scope } from '../../domain/ports/scope.ts'

/** Records refusals in transactions of their own, because the transaction of a refused call is rolled back. */
export interface Denials {
  /** Wraps doors so that their refusals are recorded. */
  readonly watch: (doors: Doors) => Doors
  /** Wraps a route so that refusals of its handler are recorded. */
  readonly watchRoute: (route: BoundRoute) => BoundRoute
}

/** Returns the wrappers that record refusals as activities. */
export function denials(store: Store, audit: Audit, log: Log): Denials {
  /** Records a refusal. A failure is only logged, because the caller is refused in any case. */
  async function record(error: unknown, context: CallContext, route: Route<unknown, unknown>): Promise<void> {
    if (!(error instanceof ApiError) || error.reason !== permissionDeniedReason.reason) return
    const activity = denied(error, context, route)
    try {
      await audit.recordRefusal(store, activity)
    } catch (failure) {
      log.error({ err: failure, activity }, 'a refusal could not be recorded')
    }
  }

  async function watched<R>(attempt: Promise<R>, context: CallContext, route: Route<unknown, unknown>): Promise<R> {
    try {
      return await attempt
    } catch (error) {
      await record(error, context, route)
      throw error
    }
  }

  return {
    watch: doors => ({
      authenticate: (request, access) => doors.authenticate(request, access),
      authorize: (context, route, path) => watched(doors.authorize(context, route, path), context, route),
      ...(doors.authorizeRequest && {
        authorizeRequest(context, route, path, given) {
          const deciding = doors.authorizeRequest?.(context, route, path, given)
          return deciding && watched(deciding, context, route)
        },
      }),
    }),
    watchRoute: ({ route, run }) => ({
      route,
      run: (request, faults, context, tokens) => watched(run(request, faults, context, tokens), context, route),
    }),
  }
}

/** Returns the activity of a refusal (conventions §12): the missing permission and its scope. */
function denied(error: ApiError, context: CallContext, route: Route<unknown, unknown>): Activity {
  const { permission = '', scope_type, scope_id = '' } = error.metadata
  return {
    ...calledBy(context),
    area: route.domain.name,
    action: route.operationId,
    permission,
    category: 'ACCESS_DENIED',
    resourceType: permission.split('.').slice(0, -1).join('.'),
    resourceId: '',
    scope: { type: scopeTypeOf(scope_type), id: scope_id },
    outcome: 'DENIED',
    rpc: error.rpc,
    reason: error.reason,
    changedFields: [],
    operationId: '',
  }
}

const scopeTypes = ['PLATFORM', 'ORGANISATION', 'GROUP', 'WORKSPACE'] as const satisfies readonly Scope['type'][]

const scopeTypeOf = (name: string | undefined): Scope['type'] => scopeTypes.find(type => type === name) ?? 'PLATFORM'
