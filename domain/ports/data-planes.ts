import type { Doors } from '../../runtime/doors.ts'
import type { BoundRoute } from '../../runtime/route.ts'
import type { RenderError } from '../../runtime/status.ts'
import type { Dispatch } from '../../runtime/wire.ts'

/** The minimal speed of an upload: a number of bytes per second, on average over each window of time. */
export interface Pace {
  readonly bytesPerSecond: number
  /** The length of a window in milliseconds. Time in which the server does not read is not counted. */
  readonly overMs: number
}

/** An address on which a server listens. Port 0 means any free port. */
export interface Address {
  readonly host: string
  readonly port: number
}

/**
 * Routes of an area that are not in its document (conventions §18). The area answers every path below the prefix,
 * including unknown and malformed paths. The guards of the platform (load, connections, metrics, the request log) still
 * apply.
 */
export interface DataPlane {
  /**
   * The prefix as raw path segments without a trailing slash, for example `/v2`. No other route of the server may begin
   * with the prefix.
   */
  readonly prefix: string
  /**
   * The routes with full paths, which begin with the prefix. Operation ids are unique in the area, because they name
   * metrics.
   */
  readonly routes: readonly BoundRoute[]
  /** Renders all errors below the prefix; absent: errors are google.rpc.Status. */
  readonly renderError?: RenderError
  /** Whether all responses, including errors, have the header `Cache-Control: no-store`. */
  readonly noStore?: boolean
  /** The size limit in bytes of bodies whose route has no `maxBytes`. A larger body gets status 413. */
  readonly maxBytes?: number
  /** The minimal speed of uploads, which replaces the time limit of requests (`http.request_timeout`). */
  readonly pace?: Pace
  /**
   * Returns the checks of authentication and authorization (`Doors`) of the plane for its own credentials. The function
   * receives the checks of the platform, to which it may pass other credentials. The checks see the full request before
   * the handler. An error of a check must not depend on the existence of a resource. Absent: the checks of the
   * platform, which admit every caller if the access of the route is public.
   */
  readonly doors?: (platform: Doors) => Doors
  /**
   * Wraps all calls below the prefix, to add headers to every response, including responses to calls that were refused
   * under load.
   */
  readonly around?: (dispatch: Dispatch) => Dispatch
  /** The only address of the plane; absent: the address of the platform. Several planes may share an address. */
  readonly listener?: Address
  /** Receives the base URL of the plane once the server listens, without the prefix: `https://data.example`. */
  readonly listensAt?: (url: string) => void
}
