import { engineNotFound } from '../output/shared/errors.ts'
import type { CallContext } from '../runtime/context.ts'
import type { Authorized, Doors, PathParameters } from '../runtime/doors.ts'
import { quoted } from '../runtime/refusal.ts'
import type { Route } from '../runtime/route.ts'

/**
 * The name of the engine that is embedded in the server, and that an area has unless it declares other engines
 * (conventions §17).
 */
export const nativeEngine = 'native'

/** The checks of an area for an authorized call, before its body is read (conventions §4, step 4). */
export interface EngineCheck {
  /** The allowed names for `{engine}` in the paths of the area. */
  readonly engines: readonly string[]
  /** The operations whose paths name the embedded engine as a literal. */
  readonly nativeOperations: ReadonlySet<string>
  /**
   * Checks a call further, such as for an unsealed vault; throws an error of the area. `engine` is the name in the path,
   * if any. Is called again once the request is parsed, with `given`, whose faults are not reported yet: a call may need
   * the check for some requests only.
   */
  readonly admit?: (
    route: Route<unknown, unknown>,
    context: CallContext,
    given: Readonly<Record<string, unknown>> | undefined,
    engine: string | undefined,
  ) => void | Promise<void>
}

/**
 * Wraps doors so that they check the engine of a path after the authorization: in `authorize`, or in `authorizeRequest`
 * if only the request decides. `checks` has an entry for each area, keyed by its name. Calls without an engine in their
 * path pass unchanged, except in areas with `admit`.
 */
export function withEngines(doors: Doors, checks: ReadonlyMap<string, EngineCheck>): Doors {
  const checkOf = ({ domain }: Route<unknown, unknown>, path: PathParameters): EngineCheck | undefined => {
    const own = checks.get(domain.name)
    return own?.admit || path.get('engine') !== undefined ? own : undefined
  }
  return {
    ...doors,
    authorize(context, route, path) {
      const own = checkOf(route, path)
      return own ? authorizeWith(doors, own, context, route, path) : doors.authorize(context, route, path)
    },
    authorizeRequest(context, route, path, given) {
      const own = checkOf(route, path)
      return own
        ? authorizeRequestWith(doors, own, context, route, path, given)
        : doors.authorizeRequest?.(context, route, path, given)
    },
  }
}

async function authorizeWith(
  doors: Doors,
  own: EngineCheck,
  ...asked: Parameters<Doors['authorize']>
): Promise<Authorized | void> {
  const authorized = await doors.authorize(...asked)
  if (authorized?.isUndecided !== true) await check(own, ...asked)
  return authorized
}

async function authorizeRequestWith(
  doors: Doors,
  own: EngineCheck,
  ...asked: Parameters<NonNullable<Doors['authorizeRequest']>>
): Promise<void> {
  await doors.authorizeRequest?.(...asked)
  await check(own, ...asked)
}

async function check(
  { admit, engines, nativeOperations }: EngineCheck,
  context: CallContext,
  route: Route<unknown, unknown>,
  path: PathParameters,
  given?: Readonly<Record<string, unknown>>,
): Promise<void> {
  const engine = path.get('engine')
  const allowed = nativeOperations.has(route.operationId) ? [nativeEngine] : engines
  if (engine !== undefined && !allowed.includes(engine)) throw noEngine(engine, allowed)
  await admit?.(route, context, given, engine)
}

const noEngine = (engine: string, known: readonly string[]) =>
  engineNotFound(`no engine is called ${quoted(engine)}; the path takes ${known.join(' or ')}`, {
    resource: { type: 'ninefold.engines', name: engine },
  })
