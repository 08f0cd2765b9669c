import type { Ninefold } from '../../../output/client.ts'
import type { StorePlace } from '../../../server/platform-store.ts'
import { postgresUrl } from '../../server/store/harness.ts'
import { testStorePlace } from '../../server/store/left-place.ts'
import { addTenant } from '../members.ts'
import { serve, type Served, type ServeOptions } from './kill-under-load.ts'

/** The number of servers of a store that are killed: one on SQLite, two on one PostgreSQL database. */
export const serverCount = postgresUrl() === undefined ? 1 : 2

/** Servers of a new store with a workspace. */
export interface ServedTenant {
  readonly place: StorePlace
  readonly served: Served
  /** The client of the first server, signed in as the administrator. */
  readonly api: Ninefold
  readonly workspace: string
}

/** Starts `serverCount` servers over a new store, and makes an organisation with a workspace. */
export async function servedTenant(options: ServeOptions = {}): Promise<ServedTenant> {
  const place = await testStorePlace()
  const served = await serve(place, serverCount, options)
  const api = await runningApi(served)
  const { workspace } = await addTenant(api, 'acme')
  return { place, served, api, workspace }
}

/** Signs the administrator in at the first server that runs; returns the client. */
export async function runningApi({ servers }: Served): Promise<Ninefold> {
  const running = servers.find(server => server.isRunning())
  if (!running) throw new Error('no server runs')
  return (await running.admin()).api
}
