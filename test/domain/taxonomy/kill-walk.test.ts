import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { TaxonomyClient } from '../../../output/taxonomy/client.ts'
import type { TaxonomyOperation } from '../../../output/taxonomy/types.ts'
import { createTransport } from '../../../runtime/transport.ts'
import { killWalk } from '../../areas/kill/kill-walk.ts'
import { toldRestarts } from '../../areas/kill/restarts.ts'
import { walkTimeout } from '../../areas/kill/tried-points.ts'
import { testToken } from '../../server/access/test-access.ts'
import { testAreas } from './areas.ts'

const program = fileURLToPath(new URL('./walked-depot.ts', import.meta.url))

/**
 * Suspends and resumes a group with workspaces, moves a group with a suspended workspace, and deletes a workspace with
 * resources and an empty workspace.
 */
async function tell(call: typeof fetch, round: number): Promise<void> {
  const client = new TaxonomyClient(createTransport({ baseUrl: '', token: testToken, fetch: call }))
  const { resource_id: organisation } = await client.createOrganisation({ body: { name: `acme-${round}` } })
  const ended = async (operation: Promise<TaxonomyOperation>): Promise<string> => {
    const { errors, resource_id, status } = await client.waitOperation(await operation)
    expect({ errors, status }).toEqual({ errors: [], status: 'TAXONOMY_OPERATION_STATUS_DONE' })
    return resource_id
  }
  const group = await ended(client.createGroup({ organisation, body: { name: 'shop' } }))
  const workspace = (name: string, parent_group_id: string) =>
    ended(client.createWorkspace({ organisation, body: { name, parent_group_id } }))
  for (const name of ['web', 'db']) await workspace(name, group)
  await ended(client.suspendGroup({ organisation, id: group, body: {} }))
  await ended(client.resumeGroup({ organisation, id: group, body: {} }))
  // The move of a group with a suspended workspace leads to further work on this workspace.
  const moved = await ended(client.createGroup({ organisation, body: { name: 'moved' } }))
  const resting = await workspace('resting', moved)
  await ended(client.suspendWorkspace({ organisation, id: resting, body: {} }))
  await ended(client.moveGroup({ organisation, id: moved, body: { parent_group_id: group } }))
  const [full, empty] = [await workspace('full', ''), await workspace('empty', '')]
  await addThing(call, full)
  for (const id of [full, empty]) await ended(client.archiveWorkspace({ organisation, id, body: {} }))
  await ended(client.deleteWorkspace({ organisation, id: full, force: true }))
  await ended(client.deleteWorkspace({ organisation, id: empty }))
}

async function addThing(call: typeof fetch, workspace: string): Promise<void> {
  const answer = await call(`/depot/v1/workspaces/${workspace}/things`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${testToken}`,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    },
    body: JSON.stringify({ vcpus: 1, is_protected: false }),
  })
  expect(answer.status).toBe(200)
}

it(
  'work continues after a kill of its server at any step of a cascade, its further work or a purge',
  { timeout: walkTimeout },
  async () => {
    const { missed, points, restarts, tried } = await killWalk({
      program,
      areas: testAreas(),
      walked: 'taxonomy',
      tell,
    })
    console.log(`${tried.length} of ${points.length} points; ${toldRestarts(restarts)}`)
    // The number of a step's commits depends on earlier steps, so some points do not occur again.
    expect(missed.length).toBeLessThanOrEqual(tried.length / 4)
    expect(restarts.count).toBe(tried.length - missed.length)
  },
)
