import type { Reader } from '../../../domain/ports/store.ts'
import { taxonomyCollections } from '../../../domain/taxonomy/area.ts'
import type { FollowTimes } from '../../../domain/taxonomy/cascade/reconcile.ts'
import { TaxonomyClient } from '../../../output/taxonomy/client.ts'
import type { Transport } from '../../../runtime/transport.ts'
import type { AreaModule } from '../../../server/area.ts'
import type { Log } from '../../../server/log.ts'
import { works } from '../../../server/operations/work.ts'
import type { StorePlace } from '../../../server/platform-store.ts'
import { testAccess, testToken } from '../../server/access/test-access.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { baseUrl, openPlatform } from '../../areas/open-platform.ts'
import { quickTimes, testAreas } from './areas.ts'
import { shelves, things, type DepotControl } from './depot.ts'

/** The taxonomy with the depot over a store, in this process and without a socket, for tests and benchmarks. */
export interface DepotPlatform {
  readonly client: TaxonomyClient
  readonly transport: Transport
  /** Adds a thing of one vcpu to a workspace. */
  readonly addThing: (workspace: string, isProtected?: boolean) => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * Composes the taxonomy, the depot and `others` over a store, which may have rows of an earlier process; returns the
 * platform.
 */
export async function depotPlatform(
  place: StorePlace,
  control: DepotControl = {},
  times: FollowTimes = quickTimes,
  others: readonly AreaModule[] = [],
  log?: Log,
): Promise<DepotPlatform> {
  const areas = [...testAreas(control, times), ...others]
  const platform = await openPlatform({ config: place, areas, openAccess: testAccess, log })
  const transport = platform.transport(testToken)
  return {
    client: new TaxonomyClient(transport),
    transport,
    async addThing(workspace, isProtected = false) {
      const headers = { authorization: `Bearer ${testToken}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ vcpus: 1, is_protected: isProtected })
      const url = `${baseUrl}/depot/v1/workspaces/${workspace}/things`
      const answer = await platform.from('')(url, { method: 'POST', headers, body })
      if (!answer.ok) throw new Error(await answer.text())
    },
    close: platform.close,
  }
}

/**
 * Opens a second store on the collections of both areas, for reads while another process writes; `close` closes this
 * store.
 */
export async function readStore(place: StorePlace): Promise<Reader & { close(): Promise<void> }> {
  const collections = [...taxonomyCollections, shelves, things, works]
  return openBeside(place, collections)
}

/** The ids of an organisation and of its groups and many workspaces. */
export interface Forest {
  readonly organisation: string
  readonly groups: readonly string[]
  readonly workspaces: readonly string[]
}

/**
 * Creates an organisation with a chain of three groups, and `count` workspaces in these groups; returns the ids. The
 * quota of workspaces becomes unlimited.
 */
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
