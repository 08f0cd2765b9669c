import { engineNotFound } from '../output/shared/errors.ts'
import type { CallContext } from '../runtime/context.ts'
import type { Authorized, Doors, PathParameters } from '../runtime/doors.ts'
import { quoted } from '../runtime/refusal.ts'
import type { Route } from '../runtime/route.ts'

/** The engine that every area has, embedded in the server (conventions §17). */
export const nativeEngine = 'native'

/** What an area asks of a call that is authorized, before its body is looked at (conventions §4, step 4). */
export interface EngineCheck {
  /** The names that `{engine}` may have in the paths of the area. */
  readonly engines: readonly string[]
  /** A further condition, such as an unsealed vault; throws the error of the area. */
  readonly admit?: (route: Route<unknown, unknown>, context: CallContext) => void | Promise<void>
}

/**
 * Doors that check the engine of a path once the caller is let in: in `authorize`, or behind `authorizeRequest` where
 * only the request decides. `checks` has an entry for each area, by its name. Calls without anything to check go through
 * as if the doors were not wrapped.
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
    async authorizeRequest(context, route, path, given) {
      await doors.authorizeRequest?.(context, route, path, given)
      const own = checkOf(route, path)
      if (own) await check(own, context, route, path)
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

async function check(
  { admit, engines }: EngineCheck,
  context: CallContext,
  route: Route<unknown, unknown>,
  path: PathParameters,
): Promise<void> {
  const engine = path.get('engine')
  if (engine !== undefined && !engines.includes(engine)) throw noEngine(engine, engines)
  await admit?.(route, context)
}

const noEngine = (engine: string, known: readonly string[]) =>
  engineNotFound(`no engine is called ${quoted(engine)}; the path takes ${known.join(' or ')}`, {
    resource: { type: 'ninefold.engines', name: engine },
  })
