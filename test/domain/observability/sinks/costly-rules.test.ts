import { beforeAll, expect, it } from 'vitest'
import { doctorFindings } from '../../../areas/doctor.ts'
import { afterTests } from '../../../undo.ts'
import { servedSinks, waitMs, type ServedSinks } from './served-sinks.ts'

const [logs, activities] = ['OBSERVABILITY_SINK_SOURCE_LOGS', 'OBSERVABILITY_SINK_SOURCE_ACTIVITIES'] as const

/** The number of entries, which together take longer than a read of a sink may take on any machine. */
const entries = 100

/** Returns rules that leave out no entry of a stream, and that take some hundred milliseconds for an entry. */
function costlyRules(selector: string) {
  const stages = Array.from({ length: 5 }, (_, i) => `| regexp "(?P<a${i}>(.*.){160})"`)
  const filter = `${selector} ${stages.join(' ')} |= "~~~"`
  return Array.from({ length: 20 }, (_, i) => ({ name: `costly-${i}`, filter }))
}

let served: ServedSinks

beforeAll(async () => void (served = await servedSinks(afterTests)), 120_000)

it(
  'rules that take too long hold neither the server nor other sinks, and their owner is told',
  { timeout: 300_000 },
  async () => {
    const { receiver } = served
    const webhook = (path: string) => ({ webhook: { url: `${receiver.url}${path}` } })
    const other = await served.create({
      name: 'other',
      sources: [logs],
      filter: '{service_name="other"}',
      destination: webhook('/other'),
    })
    for (let i = 0; i < entries; i += 1) await served.update(other, { description: `${i} `.repeat(100) }, 'description')
    await served.push('costly', ...Array.from({ length: entries }, (_, i) => `${i} ${'words '.repeat(200)}`))
    const ids = [
      await served.create({
        name: 'activities',
        sources: [activities],
        start_time: '2020-01-01T00:00:00Z',
        exclusions: costlyRules('{source="activities"}'),
        destination: webhook('/activities'),
      }),
      await served.create({
        name: 'logs',
        sources: [logs],
        start_time: '2020-01-01T00:00:00Z',
        filter: '{service_name="costly"}',
        exclusions: costlyRules('{service_name="costly"}'),
        destination: webhook('/logs'),
      }),
    ]
    await served.push('other', 'one')
    await served.exported(other, 1)
    for (const id of ids) {
      await expect.poll(async () => (await served.get(id)).last_error, { timeout: waitMs }).toMatch(/^QUERY_TIMEOUT: /)
      expect(await served.get(id)).toMatchObject({ state: 'OBSERVABILITY_LOG_SINK_STATE_ACTIVE', exported_entries: 0 })
    }
    for (const id of ids) {
      await served.update(id, { exclusions: [] }, 'exclusions')
      const exported = async () => (await served.get(id)).exported_entries
      await expect.poll(exported, { timeout: waitMs }).toBeGreaterThanOrEqual(entries)
      expect(await served.get(id)).toMatchObject({ state: 'OBSERVABILITY_LOG_SINK_STATE_ACTIVE', last_error: '' })
    }
    expect(await doctorFindings(served.plane.place)).toEqual([])
  },
)
