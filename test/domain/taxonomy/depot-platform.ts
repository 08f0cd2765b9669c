import type { Reader } from '../../../domain/ports/store.ts'
import { taxonomyCollections } from '../../../domain/taxonomy/area.ts'
import type { FollowTimes } from '../../../domain/taxonomy/cascade/reconcile.ts'
import { TaxonomyClient } from '../../../output/taxonomy/client.ts'
import { fetchHost } from '../../../runtime/hosts/fetch.ts'
import { createTransport, type Transport } from '../../../runtime/transport.ts'
import type { AreaModule } from '../../../server/area.ts'
import { taxonomyArea } from '../../../server/areas.ts'
import { compose } from '../../../server/compose.ts'
import type { Log } from '../../../server/log.ts'
import { works } from '../../../server/operations/work.ts'
import type { StorePlace } from '../../../server/platform-store.ts'
import { testAccess, testToken } from '../../server/access/test-access.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { depotArea, shelves, things, type DepotControl } from './depot.ts'

const ignore = (): void => {}
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore }

/** Areas are asked again at once, and failures follow each other. */
export const quickTimes: FollowTimes = { askMs: 5, retryMs: [2, 4], restMs: 200 }

/** The taxonomy with the depot over a store, in this process and without a socket, for tests and benches. */
export interface DepotPlatform {
  readonly client: TaxonomyClient
  readonly transport: Transport
  /** Adds a thing of one vcpu to a workspace. */
  readonly addThing: (workspace: string, isProtected?: boolean) => Promise<void>
  readonly close: () => Promise<void>
}

/** Composes both areas over a store, which may hold rows of an earlier process. */
export async function depotPlatform(
  place: StorePlace,
  control: DepotControl = {},
  times: FollowTimes = quickTimes,
  others: readonly AreaModule[] = [],
  log: Log = silent,
): Promise<DepotPlatform> {
  const http = { host: '127.0.0.1', port: 0, isPortOpen: false }
  const areas = [taxonomyArea(times), depotArea(control), ...others]
  const { close, dispatch } = await compose({ baseUrl: undefined, ...place, http }, log, areas, testAccess)
  const token = testToken
  const host = fetchHost(dispatch)
  const baseUrl = 'http://platform.test'
  const transport = createTransport({ baseUrl, token, fetch: (input, init) => host(new Request(input, init)) })
  return {
    client: new TaxonomyClient(transport),
    transport,
    async addThing(workspace, isProtected = false) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ vcpus: 1, is_protected: isProtected })
      const url = `${baseUrl}/depot/v1/workspaces/${workspace}/things`
      const answer = await host(new Request(url, { method: 'POST', headers, body }))
      if (!answer.ok) throw new Error(await answer.text())
    },
    close,
  }
}

/** The collections of both areas, to be read beside the process that writes them; ends with `close`. */
export async function readStore(place: StorePlace): Promise<Reader & { close(): Promise<void> }> {
  const collections = [...taxonomyCollections, shelves, things, works]
  return openBeside(place, collections)
}

/** Names of an organisation of many workspaces, spread over groups. */
export interface Forest {
  readonly organisation: string
  readonly groups: readonly string[]
  readonly workspaces: readonly string[]
}

/** Makes an organisation with a chain of three groups and as many workspaces below them as asked for. */
export async function growForest(client: TaxonomyClient, name: string, count: number): Promise<Forest> {
  await client.updateQuota({ id: 'taxonomy.workspaces', body: { default_limit: -1 } })
  const { resource_id: organisation } = await client.createOrganisation({ body: { name } })
  const groups: string[] = []
  for (const group of ['one', 'two', 'three']) {
    const parent_group_id = groups.at(-1) ?? ''
    groups.push((await client.createGroup({ organisation, body: { name: group, parent_group_id } })).resource_id)
  }
  const workspaces: string[] = []
  for (let i = 0; i < count; i += 1) {
    const body = { name: `w-${i}`, parent_group_id: groups[i % groups.length] ?? '' }
    workspaces.push((await client.createWorkspace({ organisation, body })).resource_id)
  }
  return { organisation, groups, workspaces }
}
