import { beforeAll, describe, expect, it } from 'vitest'
import { observabilitySettings } from '../../../server/observability/settings.ts'
import { GivenSettings } from '../../../server/settings/values.ts'
import { outcomeOf } from '../outcomes.ts'
import { afterTests } from '../../undo.ts'
import { gaugeRequest, servedPlane, type ServedPlane } from './ingest/served-plane.ts'
import { areasWithClock, MovedClock } from './moved-clock.ts'
import { targetPage, type TargetPage } from './scraping/target-page.ts'
import { addWorkingWorkspace, type WorkingWorkspace } from './working-workspace.ts'

const clock = new MovedClock()

let plane: ServedPlane

beforeAll(async () => {
  const given = new GivenSettings().with(observabilitySettings['observability.allow_private_targets'], ['127.0.0.0/8'])
  plane = await servedPlane(afterTests, given, areasWithClock(clock))
})

/** A workspace with the target that it scrapes. */
interface Working extends WorkingWorkspace {
  readonly page: TargetPage
}

async function newWorkspace(name: string): Promise<Working> {
  const page = await targetPage(afterTests, 'shown 1\n')
  return { ...(await addWorkingWorkspace(plane, name, page)), page }
}

const at = ({ id: workspace }: Working) => ({ workspace, engine: 'native' })

const ruleOf = (working: Working) => plane.api.observability.getAlertRule({ ...at(working), id: working.rule })

/** Returns the values of a query now. */
async function valuesOf(working: Working, query: string): Promise<readonly string[]> {
  const body = { query, time: clock.afterNow }
  const { vector } = await plane.api.observability.queryMetrics({ ...at(working), body })
  return vector.map(({ value }) => value)
}

/** Moves the clock to the next tick, and waits until each of these workspaces has scraped and evaluated. */
async function workOn(...all: readonly Working[]): Promise<void> {
  const counts = all.map(({ page }) => page.requests.length)
  const before = await Promise.all(all.map(async each => (await ruleOf(each)).last_evaluation_time ?? ''))
  clock.next()
  for (const [i, working] of all.entries()) {
    await expect.poll(() => working.page.requests.length).toBeGreaterThan(counts[i] ?? 0)
    await expect.poll(async () => (await ruleOf(working)).last_evaluation_time ?? '').not.toBe(before[i])
  }
}

/** Moves the clock until a workspace is scraped: a target is due a while after its config is read. */
const untilScraped = ({ page }: Working) =>
  expect
    .poll(
      () => {
        clock.next()
        return page.requests.length
      },
      { interval: 500 },
    )
    .toBeGreaterThan(0)

const push = (working: Working) => plane.push(working.config, JSON.stringify(gaugeRequest('pushed', clock.now)))

describe.each([
  ['SUSPENDED', 'suspendWorkspace', 'resumeWorkspace'],
  ['ARCHIVED', 'archiveWorkspace', 'restoreWorkspace'],
] as const)('in a workspace that is %s', (state, stop, start) => {
  it('ingestion, scrapes and alert rules stop, reads go on, and all goes on with the workspace', async () => {
    const [idle, other] = [
      await newWorkspace(`idle-${state.toLowerCase()}`),
      await newWorkspace(`other-${state.toLowerCase()}`),
    ]
    const node = { organisation: idle.organisation, id: idle.id, body: {} }
    for (const each of [idle, other]) await untilScraped(each)
    await workOn(idle, other)
    expect((await push(idle)).status).toBe(200)
    expect(await valuesOf(idle, 'up')).toEqual(['1'])
    const silenced = {
      matchers: [{ name: 'host', value: 'a' }],
      end_time: new Date(clock.now + 3_600_000).toISOString(),
      comment: 'maintenance',
    }
    const { resource_id: silence } = await plane.api.observability.createSilence({ workspace: idle.id, body: silenced })

    await plane.api.taxonomy[stop](node)
    expect((await plane.api.taxonomy.getWorkspace(node)).state).toBe(`TAXONOMY_LIFECYCLE_STATE_${state}`)
    const refused = await push(idle)
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { details: [{ reason: 'WORKSPACE_NOT_ACTIVE' }, {}] },
    ])
    // The end of the series of the target tells that the schedule has left the target out.
    await expect.poll(() => valuesOf(idle, 'up')).toEqual([])
    await workOn(other)
    const scrapes = idle.page.requests.length
    const { last_evaluation_time, state: ruleState } = await ruleOf(idle)
    for (let tick = 0; tick < 3; tick += 1) await workOn(other)
    expect(idle.page.requests).toHaveLength(scrapes)
    expect(await ruleOf(idle)).toMatchObject({ last_evaluation_time, state: ruleState })
    expect(await valuesOf(idle, 'pushed')).toEqual(['1'])
    expect(await valuesOf(idle, 'count_over_time(shown[5m])')).toHaveLength(1)
    expect(await plane.api.observability.getSilence({ workspace: idle.id, id: silence })).toMatchObject({
      state: 'OBSERVABILITY_SILENCE_STATE_ACTIVE',
      end_time: silenced.end_time,
    })
    const body = { name: 'more', query: 'vector(1)' }
    const created = plane.api.observability.createAlertRule({ ...at(idle), body })
    expect(await outcomeOf(created)).toBe('WORKSPACE_NOT_ACTIVE')

    await plane.api.taxonomy[start](node)
    expect((await push(idle)).status).toBe(200)
    await expect
      .poll(async () => {
        await workOn(other)
        return valuesOf(idle, 'up')
      })
      .toEqual(['1'])
    await workOn(idle, other)
    expect((await ruleOf(idle)).alerts).toMatchObject([{ state: 'OBSERVABILITY_ALERT_STATE_FIRING' }])
  })
})
