import { fetchHost } from '../../runtime/hosts/fetch.ts'
import { createTransport, type Transport, type TransportOptions } from '../../runtime/transport.ts'
import type { OpenAccess } from '../../server/access/platform-access.ts'
import type { AreaModule } from '../../server/area.ts'
import { compose, type Platform } from '../../server/compose.ts'
import type { Config } from '../../server/config.ts'
import type { Log } from '../../server/log.ts'
import type { StorePlace } from '../../server/platform-store.ts'

/** The base URL of platforms that have no socket. */
export const baseUrl = 'http://platform.test'

const ignore = (): void => {}

/** A log that discards its lines. */
export const silent: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore }

/** The parts from which a platform is composed. */
export interface Composition {
  readonly config: Partial<Config> & StorePlace
  readonly areas: readonly AreaModule[]
  readonly openAccess: OpenAccess
  readonly log?: Log | undefined
}

/** A platform in this process, without a socket. */
export interface OpenedPlatform extends Pick<Platform, 'close' | 'dispatch' | 'signIn'> {
  readonly config: Config
  /** Returns a `fetch` that calls the platform as a client with the given IP address. */
  from(clientAddress: string): typeof fetch
  /** Makes a transport for generated clients; without a token, its calls are anonymous. */
  transport(token?: string, options?: Partial<TransportOptions>): Transport
}

/**
 * Composes areas over a store, which may have rows of an earlier process; returns the platform. This function needs no
 * test runner, so benchmarks and killed processes can call this function.
 */
export async function openPlatform({
  areas,
  config: given,
  log = silent,
  openAccess,
}: Composition): Promise<OpenedPlatform> {
  const config: Config = { baseUrl, isDev: true, http: { host: '127.0.0.1', port: 0, isPortOpen: false }, ...given }
  const { close, dispatch, signIn } = await compose(config, log, areas, openAccess)
  const host = fetchHost(dispatch)
  const from =
    (clientAddress: string): typeof fetch =>
    (input, init) =>
      host(new Request(input, init), { clientAddress })
  return {
    config,
    dispatch,
    signIn,
    from,
    transport: (token, options) =>
      createTransport({ baseUrl, fetch: from(''), ...(token !== undefined && { token }), ...options }),
    close,
  }
}
