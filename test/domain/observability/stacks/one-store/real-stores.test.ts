import { compress } from 'snappyjs'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { MetricQueryResponse } from '../../../../../output/observability/types.ts'
import { addTenant } from '../../../../areas/members.ts'
import { lacks } from '../../../../server/registry/layers/judges/lacks.ts'
import { afterTests } from '../../../../undo.ts'
import { outcomeOf } from '../../../outcomes.ts'
import { encoded } from '../../ingest/encoded-messages.ts'
import { key, servedPlane, type ServedPlane } from '../../ingest/served-plane.ts'
import { startStore, storePrograms } from '../real-stores.ts'
import { withStacks } from '../stack-settings.ts'

const minuteMs = 60_000
const end = Math.floor(Date.now() / 1000) * 1000
const start = end - 2 * minuteMs

/** The times of samples: one each 30 s until now. */
const times = Array.from({ length: 5 }, (_, i) => start + i * 30_000)

/** Returns a request of remote write with one series, whose values are `value` times the number of the sample. */
const written = (labels: Readonly<Record<string, string>>, value: number): Uint8Array<ArrayBuffer> => {
  const series = {
    labels: Object.entries(labels)
      .toSorted()
      .map(([name, text]) => ({ name, value: text })),
    samples: times.map((timestamp, i) => ({ timestamp, value: value * (i + 1) })),
  }
  return Uint8Array.from(compress(encoded('WriteRequest', { timeseries: [series] })))
}

const remoteWrite = {
  path: '/api/v1/write',
  headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' },
}

describe.each(storePrograms)('metrics of two workspaces in $program', store => {
  describe.skipIf(lacks(`of the engine stack by ${store.program}`, store.program))('of Debian', () => {
    let plane: ServedPlane
    let theirs: string

    const where = (workspace = plane.tenant.workspace) => ({ workspace, engine: 'far' })

    const query = (text: string, workspace?: string) =>
      plane.api.observability.queryMetrics({
        ...where(workspace),
        body: { query: text, time: new Date(end).toISOString() },
      })

    /** Sends a series through the plane, and waits until a query shows it. */
    const send = async (workspace: string, labels: Readonly<Record<string, string>>, value: number) => {
      const body = {
        name: `config-${value}`,
        prometheus_remote_write: {},
        ingest_keys: [{ name: 'sender', secret: key }],
        static_labels: { region: 'north' },
      }
      const { resource_id: config } = await plane.api.observability.createIngestionConfig({
        ...where(workspace),
        body,
      })
      const { status } = await plane.push(config, written(labels, value), remoteWrite)
      expect(status).toBe(204)
      const isFound = async () => {
        const { vector } = await query(String(labels['__name__']), workspace)
        expect(vector.map(each => each.value)).toContain(String(5 * value))
      }
      await vi.waitFor(isFound, { timeout: 60_000, interval: 200 })
    }

    beforeAll(async () => {
      const url = await startStore(store, afterTests)
      plane = await servedPlane(afterTests, withStacks({ name: 'far', metrics_url: url }))
      theirs = (await addTenant(plane.api, 'other')).workspace
      const mine = plane.tenant.workspace
      await send(mine, { __name__: 'orders_total', shop: 'a' }, 7)
      // A sender that claims to be another workspace.
      await send(theirs, { __name__: 'orders_total', shop: 'spy', workspace_id: mine }, 9)
      await send(theirs, { __name__: 'secret_total', shop: 'hidden', 'workspace.id': mine }, 11)
    })

    it('are answered without the label of the workspace', async () => {
      const { result_type, vector } = await query('orders_total')
      expect(result_type).toBe('OBSERVABILITY_RESULT_TYPE_VECTOR')
      expect(vector).toEqual([
        {
          metric: { __name__: 'orders_total', region: 'north', shop: 'a' },
          time: new Date(end).toISOString(),
          value: '35',
        },
      ])
    })

    it.each([
      'orders_total or secret_total',
      '{__name__=~".+"}',
      '{__name__!=""}',
      '{shop=~".*spy.*|a"}',
      '{shop=~"a\\"} or {shop=\\"spy|a"}',
      '{__name__=~"orders_total|secret_total", shop!="b"} # } or secret_total {',
      'max by (shop) ({__name__=~".+"})',
      'max_over_time({__name__=~".+"}[1h])',
      'max_over_time((orders_total or secret_total)[5m:15s])',
      'topk(5, {__name__=~".+"})',
      'orders_total and on () vector(1)',
      'label_replace({__name__=~".+"}, "x", "$1", "shop", "(.*)")',
      'sort_desc({shop=~"spy|a|hidden"})',
      '{__name__=~".+"} offset 1s',
      '{__name__=~".+"}[5m]',
    ])('are never those of the other workspace: %s', async text => {
      const answer = await query(text)
      expect(shops(answer)).toEqual(['a'])
      expect(JSON.stringify(answer)).not.toMatch(/spy|hidden|secret|workspace_id/)
    })

    it.each([
      ['count({__name__=~".+"})', '1'],
      ['sum({__name__=~".+"})', '35'],
      ['scalar(count({__name__!=""}))', '1'],
      ['absent(secret_total)', '1'],
      ['count(orders_total offset 30s)', '1'],
    ])('count alone: %s', async (text, value) => {
      const { scalar, vector } = await query(text)
      expect([scalar?.value ?? vector[0]?.value, vector[0]?.metric ?? {}]).toEqual([value, {}])
    })

    it.each([
      ['{workspace_id=~".+"}', 'QUERY_FEATURE_UNSUPPORTED'],
      ['count by (workspace_id) ({__name__=~".+"})', 'QUERY_FEATURE_UNSUPPORTED'],
      ['label_replace(orders_total, "x", "$1", "workspace_id", "(.*)")', 'QUERY_FEATURE_UNSUPPORTED'],
      ['info(orders_total)', 'QUERY_FEATURE_UNSUPPORTED'],
      ['rate(orders_total)', 'QUERY_TYPE_INVALID'],
      ['orders_total{', 'QUERY_SYNTAX_INVALID'],
      ['{shop!~"x"}', 'QUERY_SYNTAX_INVALID'],
      ['{__name__=~".+"} or {__name__=~".+"', 'QUERY_SYNTAX_INVALID'],
      ['WITH (x = {__name__=~".+"}) x', 'QUERY_SYNTAX_INVALID'],
    ])('are not answered to %s', async (text, reason) => {
      expect(await outcomeOf(query(text))).toBe(reason)
    })

    it('are answered over a range', async () => {
      const { matrix } = await plane.api.observability.queryMetricsRange({
        ...where(),
        body: {
          query: 'sum(orders_total)',
          start_time: new Date(start).toISOString(),
          end_time: new Date(end).toISOString(),
          step: '30s',
        },
      })
      expect(matrix.map(({ points }) => points.map(({ value }) => value))).toEqual([['7', '14', '21', '28', '35']])
    })

    it('have descriptors and labels of their own', async () => {
      const { observability } = plane.api
      const { metric_descriptors } = await observability.listMetricDescriptors(where())
      expect(metric_descriptors).toEqual([
        {
          name: 'orders_total',
          type: 'OBSERVABILITY_METRIC_TYPE_UNKNOWN',
          unit: '',
          description: '',
          label_names: ['region', 'shop'],
          series_count: 1,
        },
      ])
      const labelled = async (match: readonly string[]) =>
        (await observability.listMetricLabels({ ...where(), match: [...match], label: 'shop' })).metric_labels.map(
          ({ name, values }) => [name, ...values],
        )
      const own = [['__name__'], ['region'], ['shop', 'a']]
      expect(await labelled([])).toEqual(own)
      expect(await labelled(['{shop=~".+"}', 'secret_total'])).toEqual(own)
      expect(await labelled(['secret_total'])).toEqual([])
      expect(await outcomeOf(labelled(['{workspace_id!=""}']))).toBe('QUERY_FEATURE_UNSUPPORTED')
    })

    it('are those of the other workspace for its own callers', async () => {
      const { vector } = await query('{__name__=~".+"}', theirs)
      expect(vector.map(({ metric, value }) => [metric['shop'], value]).toSorted()).toEqual([
        ['hidden', '55'],
        ['spy', '45'],
      ])
    })
  })
})

/** Returns the values of the label `shop` in an answer, each once. */
const shops = ({ matrix, vector }: MetricQueryResponse) => [
  ...new Set([...vector, ...matrix].map(({ metric }) => metric['shop'])),
]
