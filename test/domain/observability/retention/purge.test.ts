import { beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import type { TelemetryRetention } from '../../../../domain/observability/telemetry-retention.ts'
import { droppedCollection } from '../../../../domain/observability/retention/dropped-telemetry.ts'
import { nextPurgeTime } from '../../../../domain/observability/retention/next-purge.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import type { ServerStore } from '../../../../server/store/server-store.ts'
import { absentId, addTenant, type Member } from '../../../areas/members.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { series } from '../../../server/observability/native/engines.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { servedMetrics, type ServedMetrics } from '../metric-calls/served-metrics.ts'
import { afterTests } from '../../../undo.ts'
import { runPurge, type PurgeRun } from './run-purge.ts'

const [hourMs, dayMs] = [3_600_000, 86_400_000] as const

let served: ServedMetrics
let admin: Member
let store: ServerStore

beforeAll(async () => {
  served = await servedMetrics(afterTests)
  admin = served.admin
  store = await openBeside(served.platform.config, storeCollections(areas))
  afterTests(() => store.close())
})

interface PurgeOptions extends Partial<Pick<PurgeRun, 'failed'>> {
  /** The store, by default that of the served platform. */
  readonly on?: ServerStore
}

/** Runs the worker of purges on an engine at a time in milliseconds since 1970. */
const purge = (
  metrics: PurgeRun['metrics'],
  now: number,
  { on = store, ...options }: PurgeOptions = {},
): Promise<void> => runPurge({ metrics, now, store: on, ...options })

it('a purge removes what is older than the policy of its series, and reads do not show it', async () => {
  const place = await served.newPlace()
  const now = Date.now()
  const names = ['kept', 'short', 'both'] as const
  await served.write(
    place.workspace,
    ...names.map(job =>
      series({ __name__: 'm', job }, [
        [now - 20 * dayMs, 1],
        [now - 3 * dayMs, 2],
        [now - hourMs, 3],
      ]),
    ),
  )
  const { observability } = admin.api
  const policy = (name: string, selector: string, days: number, priority: number) =>
    observability.createRetentionPolicy({
      workspace: place.workspace,
      engine: place.engine,
      body: { name, selector, retention: `${days * 86_400}s`, priority, signal: 'OBSERVABILITY_SIGNAL_METRICS' },
    })
  const { resource_id: short } = await policy('short', '{job=~"short|both"}', 2, 1)
  await policy('long', '{job="both"}', 30, 1)
  await policy('lower', '{job="short"}', 30, 0)
  await purge(served.engine, Date.now() + dayMs)
  const { vector } = await observability.queryMetrics({
    workspace: place.workspace,
    engine: place.engine,
    body: { query: 'sum_over_time(m[30d])', time: new Date(now).toISOString() },
  })
  const sums = Object.fromEntries(vector.map(({ metric, value }) => [metric['job'], value]))
  // The default keeps 15 days, and of two policies with one priority the longer one wins.
  expect(sums).toEqual({ kept: '5', short: '3', both: '6' })
  const { retention_policies: policies } = await observability.listRetentionPolicies({
    workspace: place.workspace,
    engine: place.engine,
    filter: 'signal = OBSERVABILITY_SIGNAL_METRICS',
  })
  const bytes = new Map(policies.map(({ effective_bytes, name }) => [name, effective_bytes]))
  expect(bytes.get('default-metrics')).toBeGreaterThan(0)
  expect(bytes.get('lower')).toBe(0)
  expect(policies.find(({ id }) => id === short)?.next_purge_time).toBe(nextPurgeTime(place.workspace, now + dayMs))
})

it('a policy holds for queries from its change on, and deletes nothing before the purge', async () => {
  const place = await served.newPlace()
  const now = Date.now()
  const { workspace, engine } = place
  await served.write(
    workspace,
    ...['api', 'shop'].map(job =>
      series({ __name__: 'm', job }, [
        [now - 20 * dayMs, 1],
        [now - 2 * dayMs, 2],
        [now - 3 * hourMs, 3],
        [now - 60_000, 4],
      ]),
    ),
  )
  const { observability } = admin.api
  const sums = async () => {
    const body = { query: 'sum_over_time(m[30d])', time: new Date(now).toISOString() }
    const { vector } = await observability.queryMetrics({ workspace, engine, body })
    return Object.fromEntries(vector.map(({ metric, value }) => [metric['job'], value]))
  }
  const policies = await observability.listRetentionPolicies({ workspace, engine, filter: 'is_default = true' })
  const byDefault = policies.retention_policies.find(({ name }) => name === 'default-metrics')?.id ?? ''
  const keep = (id: string, retention: string) =>
    observability.updateRetentionPolicy({ workspace, engine, id, update_mask: 'retention', body: { retention } })
  // The default of a workspace holds before its first purge.
  expect(await sums()).toEqual({ api: '9', shop: '9' })
  await keep(byDefault, `${30 * 86_400}s`)
  expect(await sums()).toEqual({ api: '10', shop: '10' })
  const { resource_id: own } = await observability.createRetentionPolicy({
    workspace,
    engine,
    body: { name: 'shop', selector: '{job="shop"}', retention: '7200s', signal: 'OBSERVABILITY_SIGNAL_METRICS' },
  })
  expect(await sums()).toEqual({ api: '10', shop: '4' })
  await keep(own, '86400s')
  expect(await sums()).toEqual({ api: '10', shop: '7' })
  await keep(own, '3600s')
  await purge(served.engine, now)
  expect(await sums()).toEqual({ api: '10', shop: '4' })
  await keep(own, `${30 * 86_400}s`)
  expect(await sums()).toEqual({ api: '10', shop: '10' })
  await keep(own, '3600s')
  await purge(served.engine, now + dayMs)
  await keep(own, `${30 * 86_400}s`)
  // A purge deletes whole days.
  expect(await sums()).toMatchObject({ api: '10' })
  expect(Number((await sums())['shop'])).toBeLessThan(10)
})

it('all workspaces are purged once a night, and again after a failure', async () => {
  const platform = await testPlatform()
  const { api } = await platform.admin()
  const on = await openBeside(platform.config, storeCollections(areas))
  onTestFinished(() => on.close())
  const ids: string[] = []
  for (const name of ['one', 'two', 'three']) ids.push((await addTenant(api, name)).workspace)
  const calls: [string, TelemetryRetention][] = []
  const failing = new Set([ids[1]])
  const engine = {
    async purge(workspace: string, retention: TelemetryRetention) {
      calls.push([workspace, retention])
      if (failing.has(workspace)) throw new Error('the disk is full')
      return { total: 1_000, selected: [] }
    },
    drop: async () => undefined,
  }
  const failed = vi.fn<(error: unknown, subject: string) => void>()
  const night = Date.now() + dayMs
  await purge(engine, Date.now(), { failed, on })
  expect(calls).toEqual([])
  await purge(engine, night, { failed, on })
  const own = () => calls.map(([workspace]) => workspace).filter(workspace => ids.includes(workspace))
  expect(own().toSorted()).toEqual(ids.toSorted())
  expect(calls[0]?.[1]).toEqual({ defaultMs: 15 * dayMs, selected: [] })
  expect(failed).toHaveBeenCalledTimes(1)
  calls.length = 0
  failing.clear()
  await purge(engine, night + 60_000, { failed, on })
  expect(own()).toEqual([ids[1]])
  for (const workspace of ids) {
    const { retention_policies: policies } = await api.observability.listRetentionPolicies({
      workspace,
      engine: 'native',
    })
    expect(policies.map(({ effective_bytes, signal }) => [signal, effective_bytes]).toSorted()).toEqual([
      ['OBSERVABILITY_SIGNAL_LOGS', 0],
      ['OBSERVABILITY_SIGNAL_METRICS', 1_000],
      ['OBSERVABILITY_SIGNAL_TRACES', 0],
    ])
    for (const { next_purge_time } of policies) expect(Date.parse(next_purge_time ?? '')).toBeGreaterThan(night)
  }
})

it('the time of a purge is at night, and differs between workspaces', () => {
  const now = Date.UTC(2026, 10, 30, 12)
  const times = new Set<string>()
  for (let i = 0; i < 50; i += 1) {
    const workspace = absentId.replace(/.{8}$/, String(i * 7_919_001).padStart(8, '0'))
    const time = nextPurgeTime(workspace, now)
    times.add(time)
    expect(time).toMatch(/^2026-12-01T0[1-4]:/)
    // A purge is due at its time, and the next one a day later.
    expect(nextPurgeTime(workspace, Date.parse(time) - 1)).toBe(time)
    expect(Date.parse(nextPurgeTime(workspace, Date.parse(time))) - Date.parse(time)).toBe(dayMs)
  }
  expect(times.size).toBeGreaterThan(45)
})

it('the telemetry of a purged workspace is deleted, on a server without the files later', async () => {
  const { organisation, ...place } = await served.newPlace()
  await served.write(place.workspace, series({ __name__: 'm' }, [[Date.now(), 1]]))
  const node = { organisation, id: place.workspace }
  await admin.api.taxonomy.archiveWorkspace({ ...node, body: {} })
  await admin.api.taxonomy.deleteWorkspace(node)
  await expect.poll(() => served.engine.usage(place.workspace).then(({ activeSeries }) => activeSeries)).toBe(0)
  // The platform forgets the workspace after its telemetry is deleted.
  await expect.poll(() => store.get(droppedCollection, place.workspace)).toBeUndefined()
  await store.tx(tx => tx.insert(droppedCollection, { id: absentId }))
  const failed = vi.fn<(error: unknown, subject: string) => void>()
  const dropped: string[] = []
  const purged = async () => ({ total: 0, selected: [] })
  const busy = { purge: purged, drop: () => Promise.reject(new Error('another server has the files')) }
  await purge(busy, Date.now(), { failed })
  expect(failed).toHaveBeenCalledTimes(1)
  await purge({ purge: purged, drop: async id => void dropped.push(id) }, Date.now())
  expect(dropped).toEqual([absentId])
  expect(await store.get(droppedCollection, absentId)).toBeUndefined()
})
