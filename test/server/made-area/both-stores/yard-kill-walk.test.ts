import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { TaxonomyClient } from '../../../../output/taxonomy/client.ts'
import { createTransport } from '../../../../runtime/transport.ts'
import { killWalk } from '../../../areas/kill/kill-walk.ts'
import { toldRestarts } from '../../../areas/kill/restarts.ts'
import { walkTimeout } from '../../../areas/kill/tried-points.ts'
import { testToken } from '../../access/test-access.ts'
import { workspaceCaller } from '../area-platform.ts'
import { walkedAreas } from '../walked-areas.ts'
import { rotten } from '../yard-sealing.ts'

const program = fileURLToPath(new URL('../walked-yard.ts', import.meta.url))

/** Seals a box, and tries to seal a box that cannot be sealed. */
async function tell(call: typeof fetch, round: number): Promise<void> {
  const client = new TaxonomyClient(createTransport({ baseUrl: '', token: testToken, fetch: call }))
  const { resource_id: organisation } = await client.createOrganisation({ body: { name: `acme-${round}` } })
  const body = { name: 'web', parent_group_id: '' }
  const { resource_id: workspace } = await client.createWorkspace({ organisation, body })
  const yard = workspaceCaller((path, init) => call(path, init), 'yard', workspace)
  const rack_id = await yard.made('racks', { name: 'oak' })
  for (const [name, state] of [
    ['apples', 'SEALED'],
    [rotten, 'OPEN'],
  ] as const) {
    const id = await yard.made('boxes', { name, rack_id })
    expect(await yard.call('POST', `boxes/${id}:seal`)).not.toHaveProperty('reason')
    await expect.poll(() => yard.call('GET', `boxes/${id}`), { timeout: 60_000 }).toMatchObject({ state })
  }
}

it('work continues after a kill of its server at any step of a procedure', { timeout: walkTimeout }, async () => {
  const { missed, points, restarts, tried } = await killWalk({ program, areas: walkedAreas(), walked: 'yard', tell })
  console.log(`${tried.length} of ${points.length} points; ${toldRestarts(restarts)}`)
  expect(missed).toEqual([])
  expect(restarts.count).toBe(tried.length)
})
