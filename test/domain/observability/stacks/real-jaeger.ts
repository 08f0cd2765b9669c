import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'
import { freePort } from '../../../server/killed/processes.ts'
import { started } from '../../../server/programs.ts'
import { testFolder, type Later } from '../../../server/store/harness.ts'

/** The traces that Jaeger keeps in its memory. */
const maxTraces = 1000

/** The addresses of a running Jaeger, as settings of a stack name them. */
export interface RunningJaeger {
  readonly traces_url: string
  readonly otlp_url: string
}

/** Starts Jaeger on free ports of this host with a store in memory, and waits until it serves; `later` ends it. */
export async function startJaeger(later: Later): Promise<RunningJaeger> {
  const [query, internal, otlp] = [await freePort(), await freePort(), await freePort()]
  const path = join(testFolder(later), 'jaeger.json')
  writeFileSync(path, JSON.stringify(jaegerConfig(query, internal, otlp)))
  const { child, ended } = started('jaeger', [`--config=file:${path}`])
  later(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const host = 'http://127.0.0.1'
  const traces_url = `${host}:${query}/api/v3`
  const serves = async () => {
    const { ok } = await fetch(`${traces_url}/services`)
    const { status } = await fetch(`${host}:${otlp}/v1/traces`)
    // The receiver takes POST alone.
    if (!ok || status !== 405) throw new Error('Jaeger does not serve yet')
  }
  await vi.waitFor(serves, { timeout: 60_000, interval: 50 })
  return { traces_url, otlp_url: `${host}:${otlp}` }
}

/** Returns the configuration of a Jaeger that takes spans over OTLP/HTTP; YAML has JSON in it. */
const jaegerConfig = (query: number, internal: number, otlp: number) => ({
  service: {
    extensions: ['jaeger_storage', 'jaeger_query'],
    pipelines: { traces: { receivers: ['otlp'], exporters: ['jaeger_storage_exporter'] } },
    telemetry: { metrics: { level: 'none' }, logs: { level: 'error' } },
  },
  extensions: {
    jaeger_storage: { backends: { memory: { memory: { max_traces: maxTraces } } } },
    jaeger_query: {
      storage: { traces: 'memory' },
      enable_tracing: false,
      http: { endpoint: `127.0.0.1:${query}` },
      grpc: { endpoint: `127.0.0.1:${internal}` },
    },
  },
  receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${otlp}` } } } },
  exporters: { jaeger_storage_exporter: { trace_storage: 'memory' } },
})
