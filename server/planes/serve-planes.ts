import type { Address } from '../../domain/ports/data-planes.ts'
import { dispatcher, splitTarget, type DispatcherOptions } from '../../runtime/call.ts'
import type { Doors } from '../../runtime/doors.ts'
import type { BoundRoute } from '../../runtime/route.ts'
import type { Dispatch } from '../../runtime/wire.ts'
import type { Admission } from '../http/admission.ts'
import type { RulesOf } from '../http/app.ts'
import { outside } from '../platform-domain.ts'
import { isBelow, type AreaPlane } from './data-plane.ts'

/** The parts for serving planes, shared with all calls of the platform. */
export interface PlaneServices extends Pick<DispatcherOptions, 'clock' | 'doors' | 'log' | 'tokens'> {
  readonly admission: Pick<Admission, 'admit'>
  /** Wraps doors so that refusals are recorded. */
  readonly watch: (doors: Doors) => Doors
  /** Prepares a route in the same way as the routes of areas. */
  readonly prepare: (bound: BoundRoute) => BoundRoute
  /** Wraps a dispatch so that the dispatch sees the addresses that trusted proxies report. */
  readonly behindProxies: (dispatch: Dispatch) => Dispatch
}

/** The dispatch and the planes of one address. */
export interface Site {
  readonly dispatch: Dispatch
  readonly planes: readonly AreaPlane[]
}

/** A site with an address of its own. */
export interface OwnSite extends Site {
  readonly address: Address
}

/** All sites of a server: the address of the platform, and the addresses of planes. */
export interface Sites {
  readonly main: Site
  readonly own: readonly OwnSite[]
}

/** The paths that every address of a server answers. */
const healthPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/** Returns the sites of the planes, and the main site, which also answers the calls of `platform`. */
export function sitesOf(planes: readonly AreaPlane[], platform: Dispatch, parts: PlaneServices): Sites {
  const dispatches = new Map(planes.map(plane => [plane, planeDispatch(plane, parts)]))
  const site = (own: readonly AreaPlane[], otherwise: Dispatch): Site => ({
    dispatch: parts.behindProxies(byPrefix(own, plane => dispatches.get(plane) ?? otherwise, otherwise)),
    planes: own,
  })
  const elsewhere = planes.filter(({ listener }) => listener !== undefined)
  const byAddress = Map.groupBy(elsewhere, ({ listener }) => `${listener?.host} ${listener?.port}`)
  const admitted = parts.admission.admit(platform)
  const own = [...byAddress.values()].flatMap(sharing => {
    const [address] = sharing.flatMap(({ listener }) => listener ?? [])
    return address === undefined ? [] : [{ ...site(sharing, healthOf(admitted, parts)), address }]
  })
  return {
    main: site(
      planes.filter(({ listener }) => listener === undefined),
      admitted,
    ),
    own,
  }
}

/** Returns a function that finds the rules of a request to a site by its target. */
export const rulesOf =
  (planes: readonly AreaPlane[]): RulesOf =>
  target =>
    planeOf(planes, target)

function planeDispatch(plane: AreaPlane, parts: PlaneServices): Dispatch {
  const { around = same, domain, doors, maxBytes, noStore, renderError, routes } = plane
  const bounded = (bound: BoundRoute): BoundRoute => {
    const { body } = bound.route
    if (maxBytes === undefined || body === undefined) return bound
    return { ...bound, route: { ...bound.route, body: { maxBytes, ...body } } }
  }
  const dispatch = dispatcher({
    ...parts,
    routes: routes.map(bounded).map(parts.prepare),
    doors: parts.watch(doors?.(parts.doors) ?? parts.doors),
    domains: { outside: domain },
    ...(renderError && { renderError }),
  })
  const guarded = around(parts.admission.admit(dispatch, plane))
  return noStore ? unstored(guarded) : guarded
}

const same = (dispatch: Dispatch): Dispatch => dispatch

const unstored =
  (dispatch: Dispatch): Dispatch =>
  async request => {
    const answer = await dispatch(request)
    answer.headers['cache-control'] = 'no-store'
    return answer
  }

function byPrefix(
  planes: readonly AreaPlane[],
  dispatchOf: (plane: AreaPlane) => Dispatch,
  otherwise: Dispatch,
): Dispatch {
  if (planes.length === 0) return otherwise
  return request => {
    const plane = planeOf(planes, request.target)
    return plane === undefined ? otherwise(request) : dispatchOf(plane)(request)
  }
}

function planeOf(planes: readonly AreaPlane[], target: string): AreaPlane | undefined {
  const path = target.startsWith('/') ? target : splitTarget(target)[0]
  for (const plane of planes) if (isBelow(path, plane.prefix)) return plane
  return undefined
}

/** Returns a dispatch that answers the health paths of the platform, and no other path. */
function healthOf(platform: Dispatch, parts: PlaneServices): Dispatch {
  const nothing = parts.admission.admit(dispatcher({ ...parts, routes: [], domains: { outside } }))
  return request => (healthPaths.has(request.target) ? platform(request) : nothing(request))
}
