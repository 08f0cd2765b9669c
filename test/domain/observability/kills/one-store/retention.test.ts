import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { Ninefold } from '../../../../../output/client.ts'
import type { RetentionPolicy } from '../../../../../output/observability/types.ts'
import { telemetryFolder } from '../../../../../server/observability/native/files/places.ts'
import { doctorFindings } from '../../../../areas/doctor.ts'
import { killRounds, killTimeout, serve } from '../../../../areas/kill/kill-under-load.ts'
import { addTenant } from '../../../../areas/members.ts'
import { testStorePlace } from '../../../../server/store/left-place.ts'
import { outcomeOf } from '../../../outcomes.ts'
import { key } from '../../ingest/served-plane.ts'
import { faultsOf } from './kept-samples.ts'
import { forms, KilledSender, sendTo } from './killed-sender.ts'

/** The program of the server. */
const program = fileURLToPath(new URL('./serve-purging.ts', import.meta.url))

const [hourMs, dayMs] = [3_600_000, 86_400_000] as const

/** The rounds: each kills the server twice, within a purge and within the deletion of the workspace. */
const rounds = Math.ceil(killRounds / 2)

/** The largest delay of a kill in milliseconds. */
const latestMs = 250

/** The interval of new tokens in milliseconds: a token is valid for 15 minutes. */
const tokenMs = 300_000

/** A workspace of a round. */
interface Place {
  readonly organisation: string
  readonly workspace: string
  readonly config: string
}

/**
 * Returns the files of the days before a time, in milliseconds since 1970; the platform may write its own metrics of later
 * days at any time.
 */
const daysBefore = (time: number, folder: string): readonly string[] =>
  readdirSync(folder).filter(name => /^\d.*\.sqlite$/.test(name) && Date.parse(name.slice(0, 10)) < time)

it(
  'a server that is killed while it purges and drops telemetry drops all that is due, and keeps the rest',
  { timeout: 2 * killTimeout },
  async () => {
    const place = await testStorePlace()
    const root = telemetryFolder(place.dataDir)
    const { addresses, restart, servers } = await serve(place, 1, { program })
    let { api } = (await servers[0]?.admin()) ?? expect.fail('there is no server')
    let pushes = 0

    // A restarted server keeps its port and takes the tokens of the one before.
    let signedInMs = performance.now()
    const killAfter = async (ms: number): Promise<void> => {
      await sleep(ms)
      await restart(0)
      if (performance.now() - signedInMs < tokenMs) return
      signedInMs = performance.now()
      api = ((await servers[0]?.admin()) ?? expect.fail('there is no server')).api
    }
    const newPlace = async (name: string): Promise<Place> => {
      const { organisation, workspace } = await addTenant(api, name)
      const body = { name: 'senders', otlp: {}, ingest_keys: [{ name: 'sender', secret: key }] }
      const made = await api.observability.createIngestionConfig({ workspace, engine: 'native', body })
      return { organisation, workspace, config: made.resource_id }
    }
    const sender = ({ config }: Place, name: string, firstMs: number): KilledSender => {
      const [form] = forms
      if (!form) throw new Error('there is no form')
      const send = sendTo(addresses[0] ?? '', () => config)
      return new KilledSender({ name, firstMs, send, acknowledged: () => (pushes += 1) }, form)
    }

    for (let round = 0; round < rounds; round += 1) {
      const where = await newPlace(`round-${round}`)
      const at = { workspace: where.workspace, engine: 'native' }
      const today = Math.floor(Date.now() / dayMs) * dayMs
      const kept = sender(where, 'kept', today - dayMs + hourMs)
      const [short, old] = [sender(where, 'short', today - dayMs + hourMs), sender(where, 'old', today - 6 * dayMs)]
      for (let i = 0; i < 5; i += 1) for (const each of [kept, short, old]) await each.step()
      const folder = join(root, where.workspace, 'metrics')
      const before = daysBefore(today, folder)
      expect(before).toHaveLength(2)

      await shortenDefault(api, at)
      const createdMs = Date.now()
      const { resource_id: id } = await api.observability.createRetentionPolicy({
        ...at,
        body: {
          name: 'short',
          selector: '{sender="short"}',
          signal: 'OBSERVABILITY_SIGNAL_METRICS',
          retention: '3600s',
        },
      })
      const load = { isOver: false }
      const running = (async () => {
        while (!load.isOver) await kept.step()
      })()
      await killAfter(Math.random() * latestMs)
      // The purge sets the time of the next one by its clock, which is a day ahead.
      const next = async () => (await api.observability.getRetentionPolicy({ ...at, id })).next_purge_time ?? ''
      await expect.poll(async () => Date.parse(await next())).toBeGreaterThan(createdMs + dayMs)
      load.isOver = true
      await running
      expect([kept, short, old].flatMap(({ faults }) => faults)).toEqual([])
      expect(await faultsOf(api, where.workspace, kept)).toEqual([])
      expect(daysBefore(today, folder)).toEqual(before.slice(1))
      const body = { query: '{sender=~"short|old"}[15d]' }
      expect((await api.observability.queryMetrics({ ...at, body })).matrix).toEqual([])
      expect((await api.observability.listMetricLabels({ ...at, label: 'sender' })).metric_labels).toMatchObject(
        expect.arrayContaining([expect.objectContaining({ name: 'sender', values: ['kept'] })]),
      )

      const node = { organisation: where.organisation, id: where.workspace }
      await api.taxonomy.archiveWorkspace({ ...node, body: {} })
      await api.taxonomy.deleteWorkspace({ ...node, force: true })
      await killAfter(Math.random() * latestMs)
      await expect.poll(() => outcomeOf(api.taxonomy.getWorkspace(node))).toBe('WORKSPACE_NOT_FOUND')
      await expect.poll(() => existsSync(join(root, where.workspace))).toBe(false)
    }
    console.log(`${2 * rounds} kills, ${pushes} acknowledged pushes, ${rounds} workspaces purged and dropped`)
    expect(readdirSync(root).filter(name => name.startsWith('dropped-'))).toEqual([])
    expect(await doctorFindings(place)).toEqual([])
  },
)

/** Sets the retention of the metrics of a workspace to three days. */
async function shortenDefault({ observability }: Ninefold, at: { workspace: string; engine: string }): Promise<void> {
  const filter = 'is_default = true AND signal = OBSERVABILITY_SIGNAL_METRICS'
  const [policy]: readonly RetentionPolicy[] = (await observability.listRetentionPolicies({ ...at, filter }))
    .retention_policies
  if (!policy) throw new Error('the workspace has no default for metrics')
  const body = { retention: '259200s' }
  await observability.updateRetentionPolicy({ ...at, id: policy.id, body, update_mask: 'retention' })
}
