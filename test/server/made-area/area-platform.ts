import { expect } from 'vitest'
import { TaxonomyClient } from '../../../output/taxonomy/client.ts'
import { isEnded } from '../../../runtime/operations.ts'
import type { AreaModule } from '../../../server/area.ts'
import type { OpenAccess } from '../../../server/access/platform-access.ts'
import { taxonomyArea } from '../../../server/areas.ts'
import type { StorePlace } from '../../../server/platform-store.ts'
import { testAccess, testToken } from '../access/test-access.ts'
import { baseUrl, silent } from '../../areas/open-platform.ts'
import { testPlatform } from '../../areas/test-platform.ts'
import { quickTimes } from '../../domain/taxonomy/areas.ts'
import type { Later } from '../store/harness.ts'

/** The body of a response; a refusal has its reason and message. */
export type Answer = Readonly<Record<string, unknown>> & { readonly reason?: string; readonly message?: string }

/** A client for the calls of an area in one workspace. */
export interface WorkspaceCaller {
  readonly workspace: string
  /** Calls `path` below the engine, by default `native`; returns the body of the response. */
  call(method: string, path: string, body?: object, engine?: string): Promise<Answer>
  /** Creates a resource and returns its id; throws if the call is refused. */
  made(path: string, body: object): Promise<string>
}

/** A platform of the taxonomy and other areas, in this process and without a socket. */
export interface AreaPlatform {
  readonly place: StorePlace
  readonly client: TaxonomyClient
  /** The id of the organisation that exists from the start. */
  readonly organisation: string
  /** Sends a request, as the administrator unless `init` has headers; returns the response. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  in(workspace: string): WorkspaceCaller
  newWorkspace(name: string): Promise<WorkspaceCaller>
  /** Archives a workspace, deletes it by force, and waits until it is gone. */
  purge(workspace: string): Promise<void>
  /** Returns the organisation's usage of a quota of the taxonomy. */
  usage(quota: string): Promise<number>
}

const authorization = `Bearer ${testToken}`

/**
 * Starts a platform over an empty store; `later` stops the platform. `in` returns callers of the first area of `areas`.
 */
export async function areaPlatform(
  areas: readonly [AreaModule, ...AreaModule[]],
  later: Later,
  openAccess: OpenAccess = testAccess,
): Promise<AreaPlatform> {
  const all = [taxonomyArea(quickTimes), ...areas]
  const { config, from, transport } = await testPlatform({ areas: all, later, openAccess, log: silent })
  const client = new TaxonomyClient(transport(testToken))
  const { resource_id: organisation } = await client.createOrganisation({ body: { name: 'acme' } })
  const fetched = (path: string, init?: RequestInit): Promise<Response> =>
    from('')(baseUrl + path, { headers: { authorization }, ...init })
  const within = (workspace: string) => workspaceCaller(fetched, areas[0].domain.name, workspace)
  return {
    place: config,
    client,
    organisation,
    fetch: fetched,
    in: within,
    async newWorkspace(name) {
      return within((await client.createWorkspace({ organisation, body: { name, parent_group_id: '' } })).resource_id)
    },
    purge: workspace => purged(client, organisation, workspace),
    usage: async id => (await client.getEffectiveQuota({ organisation, id })).usage,
  }
}

/** Makes a client for an area in a workspace that sends its requests with `fetched`. */
export function workspaceCaller(fetched: AreaPlatform['fetch'], area: string, workspace: string): WorkspaceCaller {
  const call = async (method: string, path: string, body?: object, engine = 'native'): Promise<Answer> => {
    const key = { 'idempotency-key': crypto.randomUUID() }
    const headers = { authorization, 'content-type': 'application/json', ...(method !== 'GET' && key) }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const answered = await fetched(`/${area}/v1/workspaces/${workspace}/engines/${engine}/${path}`, init)
    const answer: Answer & { readonly details?: readonly { readonly reason?: string }[] } = await answered.json()
    const reason = answer.details?.[0]?.reason
    return reason === undefined ? answer : { ...answer, reason }
  }
  return {
    workspace,
    call,
    async made(path, body) {
      const answer = await call('POST', path, body)
      const { resource_id: id } = answer
      if (typeof id !== 'string') throw new Error(JSON.stringify(answer))
      return id
    },
  }
}

async function purged(client: TaxonomyClient, organisation: string, id: string): Promise<void> {
  const ended = async (operation: { readonly id: string }): Promise<void> =>
    expect.poll(async () => isEnded(await client.getOperation(operation))).toBe(true)
  await ended(await client.archiveWorkspace({ organisation, id, body: {} }))
  const deleted = await client.deleteWorkspace({ organisation, id, force: true })
  await ended(deleted)
  expect(await client.getOperation(deleted)).toMatchObject({ errors: [], warnings: [] })
}
