import { TaxonomyClient } from '../../../output/taxonomy/client.ts'
import type { TaxonomyOperation } from '../../../output/taxonomy/types.ts'
import { createTransport } from '../../../runtime/transport.ts'
import type { StorePlace } from '../../../server/platform-store.ts'
import { baseUrl, openPlatform, silent } from '../../areas/open-platform.ts'
import { testPlatform } from '../../areas/test-platform.ts'
import { testAccess, testToken } from '../../server/access/test-access.ts'
import { testAreas } from './areas.ts'
import type { DepotControl } from './depot.ts'
import { afterTests } from '../../undo.ts'

const guard = { openAccess: testAccess, log: silent }

/** The calls to a taxonomy with the depot. */
export interface Caller {
  readonly client: TaxonomyClient
  /** Returns the text of the response to a GET of a path of the taxonomy. */
  get(path: string): Promise<string>
  /** Adds a thing to a workspace; returns the status and the body of the response. */
  addThing(workspace: string, thing?: { readonly vcpus?: number; readonly is_protected?: boolean }): Promise<Answer>
  countThings(workspace: string): Promise<number>
}

/** A platform of the taxonomy and the depot in this process, without a socket. */
export interface TreePlatform extends Caller {
  readonly place: StorePlace
}

export interface Answer {
  readonly status: number
  readonly body: { readonly details?: readonly { readonly reason?: string; readonly metadata?: object }[] }
}

/** Starts a platform, which stops after the tests of the file. */
export async function treePlatform(control: DepotControl = {}): Promise<TreePlatform> {
  const { config, from } = await testPlatform({ ...guard, areas: testAreas(control), later: afterTests })
  return { place: config, ...callerOf(baseUrl, testToken, from('')) }
}

/** Starts a platform over a store; `close` stops the platform. */
export async function platformOver(place: StorePlace): Promise<Caller & { close(): Promise<void> }> {
  const { close, from } = await openPlatform({ ...guard, areas: testAreas(), config: place })
  return { close, ...callerOf(baseUrl, testToken, from('')) }
}

/** Makes the calls to a platform, by default over the network. */
export function callerOf(baseUrl: string, token: string, fetched: typeof fetch = fetch): Caller {
  const transport = createTransport({ baseUrl, token, fetch: fetched })
  const call = async (workspace: string, init: RequestInit): Promise<Response> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    return fetched(`${baseUrl}/depot/v1/workspaces/${workspace}/things`, { headers, ...init })
  }
  return {
    client: new TaxonomyClient(transport),
    async get(path) {
      const headers = { authorization: `Bearer ${token}` }
      return (await fetched(`${baseUrl}/taxonomy/v1/${path}`, { headers })).text()
    },
    async addThing(workspace, { vcpus = 1, is_protected = false } = {}) {
      const answer = await call(workspace, { method: 'POST', body: JSON.stringify({ vcpus, is_protected }) })
      return { status: answer.status, body: JSON.parse(await answer.text()) }
    },
    async countThings(workspace) {
      const { things }: { things: number } = JSON.parse(await (await call(workspace, {})).text())
      return things
    },
  }
}

/** Shorthand functions that make trees; tests give each node a unique name. */
export class TreeMaker {
  readonly organisation: string
  readonly #client: TaxonomyClient

  private constructor(client: TaxonomyClient, organisation: string) {
    this.#client = client
    this.organisation = organisation
  }

  static async make(client: TaxonomyClient, name: string): Promise<TreeMaker> {
    return new TreeMaker(client, (await client.createOrganisation({ body: { name } })).resource_id)
  }

  async group(name: string, parent_group_id = ''): Promise<string> {
    return idOf(this.#client.createGroup({ organisation: this.organisation, body: { name, parent_group_id } }))
  }

  async workspace(name: string, parent_group_id = ''): Promise<string> {
    return idOf(this.#client.createWorkspace({ organisation: this.organisation, body: { name, parent_group_id } }))
  }
}

const idOf = async (operation: Promise<TaxonomyOperation>): Promise<string> => (await operation).resource_id
