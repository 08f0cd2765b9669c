import { beforeAll, expect, it } from 'vitest'
import { series } from '../../../server/observability/native/engines.ts'
import { afterTests } from '../../../undo.ts'
import { servedMetrics, type MetricPlace, type ServedMetrics } from './served-metrics.ts'

const now = Date.now()
const time = new Date(now).toISOString()

let served: ServedMetrics
let place: MetricPlace

beforeAll(async () => {
  served = await servedMetrics(afterTests)
  place = await served.newPlace()
  const all = Array.from({ length: 10_001 }, (_, i) => series({ __name__: 'many', i: String(i) }, [[now - 60_000, i]]))
  await served.write(place.workspace, ...all)
})

const where = () => ({ workspace: place.workspace, engine: place.engine })
const refusal = (limit: string, text: RegExp) => ({
  reason: 'QUERY_LIMIT_EXCEEDED',
  rpc: 'RESOURCE_EXHAUSTED',
  code: 4_006_004,
  metadata: { limit },
  message: expect.stringMatching(text),
})

it('an answer of more than 10,000 series is refused, and cut with a warning only if the call asks for it', async () => {
  const { observability } = served.admin.api
  const body = { query: 'many', time }
  const limit = refusal('series', /10000 series/)
  await expect(observability.queryMetrics({ ...where(), body })).rejects.toMatchObject(limit)
  const range = { query: 'many', start_time: time, end_time: time, step: '60s' }
  await expect(observability.queryMetricsRange({ ...where(), body: range })).rejects.toMatchObject(limit)
  const cut = await observability.queryMetrics({ ...where(), body: { ...body, limit: 3 } })
  expect(cut.vector).toHaveLength(3)
  expect(cut.warnings).toEqual([expect.stringContaining('10001 series')])
  const counted = await observability.queryMetrics({ ...where(), body: { query: 'count(many)', time } })
  expect(counted.vector[0]?.value).toBe('10001')
})

it('a query that holds more than 5,000,000 samples is refused', async () => {
  const { observability } = served.admin.api
  const start_time = new Date(now - 10_000_000).toISOString()
  const range = (query: string) =>
    observability.queryMetricsRange({
      ...where(),
      body: { query, start_time, end_time: time, step: '1s', timeout: '60s' },
    })
  await expect(range('sum(many)')).rejects.toMatchObject(refusal('samples', /5000000 samples/))
  expect((await range('sum(many{i=~"[1-9]"})')).matrix).toHaveLength(1)
})
