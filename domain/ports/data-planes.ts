import type { Doors } from '../../runtime/doors.ts'
import type { BoundRoute } from '../../runtime/route.ts'
import type { RenderError } from '../../runtime/status.ts'
import type { Dispatch } from '../../runtime/wire.ts'

/** The slowest pace of a body: a minimum number of bytes per second on average, over each window of this length. */
export interface Pace {
  readonly bytesPerSecond: number
  /** The length of a window. Time in which the server itself does not read is not counted. */
  readonly overMs: number
}

/** The address that a server listens on. Port 0 stands for any free port. */
export interface Address {
  readonly host: string
  readonly port: number
}

/**
 * Routes of an area outside of its document (conventions §18). The area answers every path below the prefix, unknown
 * and malformed paths too. The guards of the platform (load, connections, metrics, the request log) stay in place.
 */
export interface DataPlane {
  /** Raw path segments without a trailing slash: `/v2`. No other route of the server may begin with the prefix. */
  readonly prefix: string
  /**
   * Whole paths that begin with the prefix. Operation ids are unique in the area, because metrics use them as names.
   */
  readonly routes: readonly BoundRoute[]
  /** The form of all errors below the prefix; absent: google.rpc.Status. */
  readonly renderError?: RenderError
  /** Whether all answers, errors included, say `Cache-Control: no-store`. */
  readonly noStore?: boolean
  /** The size limit in bytes of bodies whose route has no `maxBytes`. A larger body is answered with 413. */
  readonly maxBytes?: number
  /** The pace that a body must keep in place of the time limit of requests (`http.request_timeout`). */
  readonly pace?: Pace
  /**
   * The doors of the plane for credentials of its own. They get the doors of the platform, which they may ask for other
   * credentials, and see the whole request before the handler. A refusal must not depend on the existence of a
   * resource. Absent: the doors of the platform, which admit every caller if the access of the route is public.
   */
  readonly doors?: (platform: Doors) => Doors
  /** Wraps all calls below the prefix, for headers of every answer, answers to refused calls under load included. */
  readonly around?: (dispatch: Dispatch) => Dispatch
  /** The only address of the plane; absent: the address of the platform. Planes may share an address. */
  readonly listener?: Address
  /** Called with the base URL of the plane once the server listens: `https://data.example`, without the prefix. */
  readonly listensAt?: (url: string) => void
}
