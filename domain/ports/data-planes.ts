import type { Doors } from '../../runtime/doors.ts'
import type { BoundRoute } from '../../runtime/route.ts'
import type { RenderError } from '../../runtime/status.ts'
import type { Dispatch } from '../../runtime/wire.ts'

/** How slowly a body may come: so many bytes a second on average, over each time of this length. */
export interface Pace {
  readonly bytesPerSecond: number
  /** Time in which the server does not read, and holds the caller back, does not count. */
  readonly overMs: number
}

/** Where a server listens. Port 0 is any free one. */
export interface Address {
  readonly host: string
  readonly port: number
}

/**
 * Routes of an area outside of its document (conventions §18): everything below a prefix is answered here, unknown paths
 * and broken ones too, while the guards of the platform (load, connections, metrics, the log of requests) stay in place.
 */
export interface DataPlane {
  /** Raw path segments without a slash at the end: `/v2`. No other route of the server may begin with it. */
  readonly prefix: string
  /** Whole paths, each of which begins with the prefix. Operation ids are unique in the area, as metrics name them. */
  readonly routes: readonly BoundRoute[]
  /** The form of all errors below the prefix; absent: google.rpc.Status. */
  readonly renderError?: RenderError
  /** Whether no cache may keep any answer, errors included. */
  readonly noStore?: boolean
  /** The most bytes of a body where the body of a route has no `maxBytes` of its own; more is answered with 413. */
  readonly maxBytes?: number
  /** Bodies may take as long as they keep this pace, whatever the time limit of requests (`http.request_timeout`). */
  readonly pace?: Pace
  /**
   * Doors for credentials of the area's own, given those of the platform to ask where it has none. They get the whole
   * request before a handler is looked at; what they refuse must not depend on what exists. Absent: those of the platform,
   * which let everybody in where the access of a route is public.
   */
  readonly doors?: (platform: Doors) => Doors
  /** Stands around all calls below the prefix, for headers that every answer has; those that are refused under load too. */
  readonly around?: (dispatch: Dispatch) => Dispatch
  /** Where the plane is served, and nowhere else; absent: where the platform is. Planes may share an address. */
  readonly listener?: Address
  /** Told where the plane is reached, once the server listens: `https://data.example`, without the prefix. */
  readonly listensAt?: (url: string) => void
}
