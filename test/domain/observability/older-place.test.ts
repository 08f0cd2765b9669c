import { expect, it, onTestFinished } from 'vitest'
import { exportId, sinkExportCollection } from '../../../domain/observability/sinks/sink-exports-store.ts'
import type { Ninefold } from '../../../output/client.ts'
import { areas } from '../../../server/areas.ts'
import { observabilitySettings } from '../../../server/observability/settings.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { GivenSettings } from '../../../server/settings/values.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { withFrequentWorkers } from '../../areas/kill/frequent-worker.ts'
import { addTenant } from '../../areas/members.ts'
import { olderPlace } from '../../areas/older-place.ts'
import { whileOpen } from '../../areas/while-open.ts'
import { forgetTable, openBeside, testStorePlace } from '../../server/store/left-place.ts'
import { batchesAt, lineReceiver, linesOf } from './sinks/line-receiver.ts'

const [logs, activities] = ['OBSERVABILITY_SINK_SOURCE_LOGS', 'OBSERVABILITY_SINK_SOURCE_ACTIVITIES'] as const

const given = new GivenSettings().with(observabilitySettings['observability.allow_private_targets'], ['127.0.0.0/8'])

/** All areas; observability has workers that run ten times a second. */
const frequent = areas.map(area => (area.domain.name === 'observability' ? withFrequentWorkers(area) : area))

const patience = { timeout: 60_000, interval: 100 }

/** Waits until the sinks of a workspace have exported something, and returns the names of the sinks. */
async function exportingSinks({ observability }: Ninefold, workspace: string): Promise<readonly string[]> {
  const read = async () => (await observability.listLogSinks({ workspace, engine: 'native' })).log_sinks
  const lacking = async () => (await read()).filter(({ exported_entries }) => exported_entries === 0)
  await expect.poll(lacking, patience).toEqual([])
  return (await read()).map(({ name }) => name)
}

it('a store from before observability gets three default policies once for each workspace, and sinks export there', async () => {
  const older = areas.map(({ domain }) => domain.name).filter(name => name !== 'observability')
  const { filled, place } = await olderPlace(older, async api => [
    await addTenant(api, 'acme'),
    await addTenant(api, 'other'),
  ])
  await expect(doctorFindings(place)).rejects.toThrow()
  const receiver = await lineReceiver(onTestFinished)
  const policies = async ({ observability }: Ninefold) => {
    const found = filled.map(async ({ workspace }) => {
      const { retention_policies } = await observability.listRetentionPolicies({ workspace, engine: 'native' })
      return retention_policies.map(({ id, name }) => [name, id])
    })
    return Promise.all(found)
  }
  const names = ['default-logs', 'default-metrics', 'default-traces']
  const made = await whileOpen(
    { ...place, given },
    async api => {
      const madeNames = async () => (await policies(api)).map(each => each.map(([name]) => name))
      await expect.poll(madeNames, patience).toEqual(filled.map(() => names))
      for (const { workspace } of filled) {
        const destination = { webhook: { url: `${receiver.url}/${workspace}` } }
        const body = { name: 'audit', sources: [logs, activities], destination }
        await api.observability.createLogSink({
          workspace,
          engine: 'native',
          body: { ...body, sources: [...body.sources] },
        })
        expect(await exportingSinks(api, workspace)).toEqual(['audit'])
        const lines = [...batchesAt(receiver, `/${workspace}`).values()].flatMap(texts => [...texts].flatMap(linesOf))
        expect(lines.map(line => JSON.parse(line).action)).toContain('createLogSink')
      }
      return policies(api)
    },
    frequent,
  )
  await whileOpen(
    { ...place, given },
    async api => {
      expect(await policies(api)).toEqual(made)
      expect(await exportingSinks(api, filled[0]?.workspace ?? '')).toEqual(['audit'])
      expect(await doctorFindings(place)).toEqual([])
    },
    frequent,
  )
})

it('a store from before log sinks takes sinks, and a batch of an older version leaves by the rules of its sink', async () => {
  const place = await testStorePlace()
  const { workspace } = await whileOpen(place, api => addTenant(api, 'acme'))
  for (const table of ['log_sinks', 'sink_exports', 'sink_secrets']) await forgetTable(place, `observability_${table}`)
  const receiver = await lineReceiver(onTestFinished)
  const at = { workspace, engine: 'native' }
  const destination = { webhook: { url: `${receiver.url}/hook`, secret: 'correct-horse-battery' } }
  const body = { name: 'audit', filter: '{area="observability"}', destination }
  const id = await whileOpen({ ...place, given }, async ({ observability }) => {
    const { resource_id } = await observability.createLogSink({
      ...at,
      body: { ...body, enabled: false, sources: [activities] },
    })
    expect(await doctorFindings(place)).toEqual([])
    return resource_id
  })
  const store = await openBeside(place, storeCollections(areas))
  await store.tx(async tx => {
    const stored = await tx.lock(sinkExportCollection, exportId(id, activities))
    if (!stored) throw new Error('the sink has no export')
    const batch = { first: 1, last: 1_000, position: 1_000, first_time: stored.value.next_time }
    await tx.update(sinkExportCollection, stored.id, { ...stored.value, position: 0, batch }, stored.version)
  })
  await store.close()
  await whileOpen(
    { ...place, given },
    async ({ observability }) => {
      await observability.updateLogSink({ ...at, id, body: { enabled: true }, update_mask: 'enabled' })
      const exported = async () => (await observability.getLogSink({ ...at, id })).exported_entries
      await expect.poll(exported, patience).toBeGreaterThan(0)
    },
    frequent,
  )
  const [text = ''] = [...batchesAt(receiver, '/hook').values()].flatMap(texts => [...texts])
  expect(new Set(linesOf(text).map(line => JSON.parse(line).area))).toEqual(new Set(['observability']))
  expect(await doctorFindings(place)).toEqual([])
})
