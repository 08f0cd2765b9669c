import { compress } from 'snappyjs'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { Labels } from '../../../../../domain/observability/metrics/samples.ts'
import type { ServiceGraph } from '../../../../../output/observability/types.ts'
import { addTenant } from '../../../../areas/members.ts'
import { lacks } from '../../../../server/registry/layers/judges/lacks.ts'
import { afterTests } from '../../../../undo.ts'
import { encoded } from '../../ingest/encoded-messages.ts'
import { key, servedPlane, type ServedPlane } from '../../ingest/served-plane.ts'
import { startStore, storePrograms } from '../real-stores.ts'
import { withStacks } from '../stack-settings.ts'

const end = Math.floor(Date.now() / 1000) * 1000
const start = end - 120_000

/** The times of samples: one each 15 s until now. */
const times = Array.from({ length: 9 }, (_, i) => start + i * 15_000)

/** A counter with the number of calls that it counts between its first and its last sample. */
interface Counter {
  readonly labels: Labels
  readonly calls: number
}

/** Returns a request of remote write with counters that begin at 0, as those of a generator do. */
const written = (counters: readonly Counter[]): Uint8Array<ArrayBuffer> => {
  const timeseries = counters.map(({ calls, labels }) => ({
    labels: Object.entries(labels)
      .toSorted()
      .map(([name, value]) => ({ name, value })),
    samples: times.map((timestamp, i) => ({ timestamp, value: (calls * i) / (times.length - 1) })),
  }))
  return Uint8Array.from(compress(encoded('WriteRequest', { timeseries })))
}

const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' }

const histogram = (name: string, labels: Labels, counts: Readonly<Record<string, number>>): readonly Counter[] =>
  Object.entries(counts).map(([le, calls]) => ({ labels: { ...labels, __name__: `${name}_bucket`, le }, calls }))

/** Returns the series that a generator writes for an edge. `unit` is what exporters add to the names of histograms. */
const edge = (client: string, server: string, calls: number, more: Labels = {}, unit = '_seconds') => {
  const labels = { client, server, ...more }
  const name = 'traces_service_graph_request'
  return [
    { labels: { ...labels, __name__: `${name}_total` }, calls },
    { labels: { ...labels, __name__: `${name}_failed_total` }, calls: calls / 4 },
    ...histogram(`${name}_client${unit}`, labels, { '0.1': calls / 2, '0.2': calls, '0.4': calls, '+Inf': calls }),
    ...histogram(`${name}_server${unit}`, labels, { '0.1': 0, '0.2': calls / 4, '0.4': calls, '+Inf': calls }),
  ]
}

const clientMs = { p50_ms: 100, p95_ms: 190, p99_ms: 198 }
const serverMs = { p50_ms: 266.667, p95_ms: 386.667, p99_ms: 397.333 }

/** Returns an edge as one text: `web > api CALL 20 5`. */
const edgesOf = ({ edges }: ServiceGraph) =>
  edges.map(
    ({ call_count, connection_type, error_count, source, target }) =>
      `${source} > ${target} ${connection_type.slice(30)} ${call_count} ${error_count}`,
  )

const nodesOf = ({ nodes }: ServiceGraph) =>
  nodes.map(({ call_count, error_count, name, type }) => `${name} ${type.slice(24)} ${call_count} ${error_count}`)

describe.each(storePrograms)('service graphs of two workspaces in $program', store => {
  describe.skipIf(lacks(`of service graphs by ${store.program}`, store.program))('of Debian', () => {
    let plane: ServedPlane
    let theirs: string
    let url: string

    const where = (workspace = plane.tenant.workspace) => ({ workspace, engine: 'far' })

    const range = { start_time: new Date(start - 1000).toISOString(), end_time: new Date(end).toISOString() }

    const graph = (more: { service?: string; min_call_count?: number } = {}, workspace?: string) =>
      plane.api.observability.getServiceGraph({ ...where(workspace), ...range, ...more })

    /** Sends series through an ingestion config of a workspace. */
    const send = async (workspace: string, series: readonly Counter[]) => {
      const body = { name: 'graphs', prometheus_remote_write: {}, ingest_keys: [{ name: 'sender', secret: key }] }
      const { resource_id: config } = await plane.api.observability.createIngestionConfig({ ...where(workspace), body })
      const { status } = await plane.push(config, written(series), { path: '/api/v1/write', headers })
      expect(status).toBe(204)
    }

    /** Waits until the store shows a number of series. */
    const untilFound = (series: number) =>
      vi.waitFor(
        async () => {
          const query = new URLSearchParams({ query: 'count({server!=""})', time: String(end / 1000) })
          const answer = await (await fetch(`${url}/api/v1/query?${query}`)).json()
          expect(JSON.stringify(answer)).toContain(`"${series}"`)
        },
        { timeout: 60_000, interval: 200 },
      )

    beforeAll(async () => {
      url = await startStore(store, afterTests)
      plane = await servedPlane(afterTests, withStacks({ name: 'far', metrics_url: url }))
      theirs = (await addTenant(plane.api, 'other')).workspace
      const mine = plane.tenant.workspace
      const own = [
        ...edge('web', 'api', 20),
        ...edge('mobile', 'api', 40, { failed: 'true' }),
        ...edge('api', 'orders', 12, { connection_type: 'database' }),
        ...edge('api', 'worker', 8, { connection_type: 'messaging_system' }),
        ...edge('user', 'web', 60, { connection_type: 'virtual_node' }),
        ...edge('api', 'mail.example', 4, { connection_type: 'virtual_node', virtual_node: 'server' }),
      ]
      // A sender that claims to be another workspace.
      const claimed = { client_workspace_id: mine, server_workspace_id: mine, workspace_id: mine }
      const foreign = [...edge('spy', 'api', 100, claimed), ...edge('web', 'secret', 100)]
      // The series of a generator that knows the workspaces of spans.
      const generated = [
        ...edge('web', 'billing', 16, { client_workspace_id: mine, server_workspace_id: mine }, ''),
        ...edge('billing', 'cache', 4, { client_workspace_id: mine, connection_type: 'database' }),
        ...edge('user', 'billing', 8, { server_workspace_id: mine, connection_type: 'virtual_node' }),
        ...edge('web', 'vault', 80, { client_workspace_id: mine, server_workspace_id: theirs }),
        ...edge('safe', 'web', 80, { client_workspace_id: theirs, server_workspace_id: mine }),
        ...edge('safe', 'vault', 24, { client_workspace_id: theirs, server_workspace_id: theirs }),
        ...edge('nobody', 'web', 80),
      ]
      await send(mine, own)
      await send(theirs, foreign)
      const { ok } = await fetch(`${url}/api/v1/write`, { method: 'POST', headers, body: written(generated) })
      expect(ok).toBe(true)
      await untilFound(own.length + foreign.length + generated.length)
    })

    it('have the calls, their errors and the nodes', async () => {
      const whole = await graph()
      expect(edgesOf(whole)).toEqual([
        'api > mail.example EXTERNAL 4 1',
        'api > orders DATABASE 12 3',
        'api > worker MESSAGING 8 2',
        'billing > cache DATABASE 4 1',
        'mobile > api CALL 40 10',
        'user > billing EXTERNAL 8 2',
        'user > web EXTERNAL 60 15',
        'web > api CALL 20 5',
        'web > billing CALL 16 4',
      ])
      expect(nodesOf(whole)).toEqual([
        'api SERVICE 60 15',
        'billing SERVICE 24 6',
        'cache DATABASE 4 1',
        'mail.example EXTERNAL 4 1',
        'mobile SERVICE 0 0',
        'orders DATABASE 12 3',
        'user EXTERNAL 0 0',
        'web SERVICE 60 15',
        'worker SERVICE 8 2',
      ])
      expect(JSON.stringify(whole)).not.toMatch(/spy|secret|vault|safe|nobody|workspace_id/)
    })

    it('have the durations that each side has recorded', async () => {
      const { edges, nodes } = await graph()
      const sides = edges.map(({ client, server, source, target }) => [`${source} > ${target}`, { client, server }])
      expect(Object.fromEntries(sides)).toEqual({
        'api > mail.example': { client: clientMs },
        'api > orders': { client: clientMs },
        'api > worker': { client: clientMs, server: serverMs },
        'billing > cache': { client: clientMs },
        'mobile > api': { client: clientMs, server: serverMs },
        'user > billing': { server: serverMs },
        'user > web': { server: serverMs },
        'web > api': { client: clientMs, server: serverMs },
        'web > billing': { client: clientMs, server: serverMs },
      })
      const durations = nodes.map(({ name, p50_ms, p95_ms, p99_ms }) => [name, { p50_ms, p95_ms, p99_ms }])
      const none = { p50_ms: 0, p95_ms: 0, p99_ms: 0 }
      expect(Object.fromEntries(durations)).toEqual({
        api: serverMs,
        billing: serverMs,
        cache: clientMs,
        'mail.example': clientMs,
        mobile: none,
        orders: clientMs,
        user: none,
        web: serverMs,
        worker: serverMs,
      })
    })

    it('have the counts and durations of the store, also of a range between samples', async () => {
      const [from, to] = [start + 40_000, end - 4000]
      const between = { start_time: new Date(from).toISOString(), end_time: new Date(to).toISOString() }
      const { edges, nodes } = await plane.api.observability.getServiceGraph({ ...where(), ...between })
      const ask = async (query: string) => {
        const body = { query, time: new Date(to).toISOString() }
        const { vector } = await plane.api.observability.queryMetrics({ ...where(), body })
        return Number(vector[0]?.value)
      }
      const increase = (series: string) => `increase(traces_service_graph_request_${series}[${to - from}ms])`
      const found = edges.find(({ source, target }) => `${source} > ${target}` === 'mobile > api')
      const calls = await ask(increase('total{client="mobile"}'))
      expect(calls).toBeGreaterThan(10)
      expect(found?.call_count).toBe(Math.round(calls))
      const seconds = await ask(`histogram_quantile(0.95, ${increase('client_seconds_bucket{client="mobile"}')})`)
      expect(found?.client?.p95_ms).toBeCloseTo(seconds * 1000, 2)
      const merged = `sum by (le) (${increase('server_seconds_bucket{server="api"}')})`
      const api = nodes.find(({ name }) => name === 'api')
      expect(api?.p50_ms).toBeCloseTo((await ask(`histogram_quantile(0.5, ${merged})`)) * 1000, 2)
    })

    it('have the edges that a query selects, and the nodes at their ends', async () => {
      const selected = async (more: { service?: string; min_call_count?: number }) => {
        const { edges, nodes } = await graph(more)
        return [edges.map(({ source, target }) => `${source} > ${target}`), nodes.map(({ name }) => name)]
      }
      expect(await selected({ service: 'billing' })).toEqual([
        ['billing > cache', 'user > billing', 'web > billing'],
        ['billing', 'cache', 'user', 'web'],
      ])
      expect(await selected({ min_call_count: 40 })).toEqual([
        ['mobile > api', 'user > web'],
        ['api', 'mobile', 'user', 'web'],
      ])
      // The calls of a node are all its calls.
      const [api] = (await graph({ service: 'mobile' })).nodes
      expect(api).toMatchObject({ name: 'api', call_count: 60 })
      expect(await selected({ service: 'secret' })).toEqual([[], []])
    })

    it('have the calls of their range alone', async () => {
      const before = {
        start_time: new Date(start - 7_200_000).toISOString(),
        end_time: new Date(start - 3_600_000).toISOString(),
      }
      const empty = await plane.api.observability.getServiceGraph({ ...where(), ...before })
      expect(empty).toEqual({ nodes: [], edges: [] })
      const whole = { start_time: '0001-01-01T00:00:00Z', end_time: '9999-12-31T23:59:59Z' }
      const { edges } = await plane.api.observability.getServiceGraph({ ...where(), ...whole })
      expect(edges.map(({ source, target }) => `${source} > ${target}`)).toContain('mobile > api')
    })

    it('are those of the other workspace for its own callers', async () => {
      expect(edgesOf(await graph({}, theirs))).toEqual([
        'safe > vault CALL 24 6',
        'spy > api CALL 100 25',
        'web > secret CALL 100 25',
      ])
    })
  })
})
