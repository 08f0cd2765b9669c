import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Ninefold } from '../../../output/client.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { killRounds, killTimeout, serve } from '../../areas/kill/kill-under-load.ts'
import { postgresUrl } from '../../server/store/harness.ts'
import { testStorePlace } from '../../server/store/left-place.ts'

/** The number of servers: one on SQLite, two on one PostgreSQL, of which one numbers the activities. */
const serverCount = postgresUrl() === undefined ? 1 : 2

/** The number of mutations that are under way at a time. */
const callers = 8

/** Creates organisations until a call fails because its server is killed; adds the operations to `acknowledged`. */
async function createUntilKilled({ taxonomy }: Ninefold, prefix: string, acknowledged: string[]): Promise<void> {
  for (let i = 0; ; i += 1) {
    try {
      acknowledged.push((await taxonomy.createOrganisation({ body: { name: `${prefix}-${i}` } })).id)
    } catch {
      return
    }
  }
}

async function operationsOf({ observability }: Ninefold): Promise<readonly string[]> {
  const found: string[] = []
  const filter = 'action = createOrganisation'
  for await (const { operation_id } of observability.iterateActivities({ filter, page_size: 100 }))
    found.push(operation_id)
  return found
}

it(
  'servers that are killed repeatedly while they number activities lose none and number none twice',
  { timeout: killTimeout },
  async () => {
    const place = await testStorePlace()
    const { restart, servers } = await serve(place, serverCount)
    const acknowledged: string[] = []
    for (let round = 0; round < killRounds; round += 1) {
      const at = round % serverCount
      const { api } = (await servers[at]?.admin()) ?? expect.fail('there is no server')
      const running = Array.from({ length: callers }, (_, i) =>
        createUntilKilled(api, `org-${round}-${i}`, acknowledged),
      )
      await sleep(200 + Math.random() * 1500)
      await restart(at)
      await Promise.all(running)
    }
    const { api } = (await servers[0]?.admin()) ?? expect.fail('there is no server')
    expect(acknowledged.length).toBeGreaterThan(0)
    await expect
      .poll(async () => {
        const found = new Set(await operationsOf(api))
        return acknowledged.filter(id => !found.has(id))
      })
      .toEqual([])
    const found = await operationsOf(api)
    console.log(`${killRounds} kills, ${acknowledged.length} acknowledged of ${found.length} activities`)
    expect(new Set(found).size).toBe(found.length)
    expect(await doctorFindings(place)).toEqual([])
  },
)
