import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Ninefold } from '../../../../output/client.ts'
import type { AlertRule, AlertRuleInput } from '../../../../output/observability/types.ts'
import type { Labels, Series } from '../../../../domain/observability/metrics/samples.ts'
import type { MetricEngine } from '../../../../domain/observability/metrics/metric-engine.ts'
import type { OutboundCalls, OutboundRequest } from '../../../../domain/observability/outbound/outbound-calls.ts'
import type { WebhookBody } from '../../../../domain/observability/notifications/webhook-body.ts'
import type { LogEngine } from '../../../../domain/observability/logs/log-engine.ts'
import { runLogAlertQuery } from '../../../../domain/observability/logql/run-query.ts'
import { runAlertQuery } from '../../../../domain/observability/promql/run-query.ts'
import type { AreaModule } from '../../../../server/area.ts'
import { areas } from '../../../../server/areas.ts'
import { createClock } from '../../../../server/clock.ts'
import { observabilityArea, type GivenParts } from '../../../../server/observability/area.ts'
import { addTenant } from '../../../areas/members.ts'
import { testPlatform, type TestPlatform, type TestPlatformOptions } from '../../../areas/test-platform.ts'
import type { Later } from '../../../server/store/harness.ts'
import { entryOf, MemoryEntries, type TestStream } from '../logql/one-store/memory-entries.ts'
import { MemorySource, seriesOf } from '../promql/one-store/memory-source.ts'

/** A time that only the test moves, in milliseconds since 1970; it begins at the next full hour. */
export class MovedTime {
  now = Math.ceil(Date.now() / 3_600_000) * 3_600_000
}

/** A gauge of the test whose value has changed at some times. */
export interface Gauge {
  readonly labels: Labels
  readonly samples: [time: number, value: number | 'stale'][]
}

/** A notification that a receiver got. */
export interface Received {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly body: WebhookBody
  /** The moved time of the arrival. */
  readonly time: number
}

/** The parts of an area whose time, samples and receivers belong to the test. */
export class AlertWorld {
  readonly time = new MovedTime()
  readonly gauges: Gauge[] = []
  readonly streams: TestStream[] = []
  readonly received: Received[] = []
  /** Answers requests of notifications; a status of success by default. */
  answer: (request: OutboundRequest) => Promise<number> | number = () => 200
  /** Replaces the result of the engine; a rejection is an error of the evaluation. */
  fault: (() => Promise<never>) | undefined

  /** Returns the clock and the engine of this world. */
  measured(): Pick<GivenParts, 'clock' | 'logs' | 'metrics'> {
    return { clock: createClock(() => this.time.now), logs: this.#logs(), metrics: this.#metrics() }
  }

  /** Returns all areas, with the clock, the engine and the receivers of this world in observability. */
  areas(): readonly AreaModule[] {
    const parts = { ...this.measured(), outbound: this.#outbound() }
    return areas.map(area => (area.domain.name === 'observability' ? observabilityArea(parts) : area))
  }

  /** Sets the value of a gauge from the present time on. */
  set(labels: Labels, value: number | 'stale'): void {
    const key = JSON.stringify(labels)
    let gauge = this.gauges.find(each => JSON.stringify(each.labels) === key)
    if (!gauge) this.gauges.push((gauge = { labels, samples: [] }))
    gauge.samples.push([this.time.now, value])
  }

  /** Adds a stream with lines at the present time. */
  log(labels: Labels, ...lines: readonly string[]): void {
    const time = BigInt(this.time.now) * 1_000_000n
    this.streams.push({ labels, entries: lines.map((line, i) => entryOf(time, i + 1, line)) })
  }

  #logs(): LogEngine {
    return {
      ...unusedLogEngine,
      alertVector: async (_workspace, query, time) =>
        runLogAlertQuery(new MemoryEntries(this.streams), { query, time, timeoutMs: 30_000 }, () => false),
    }
  }

  #metrics(): MetricEngine {
    return {
      ...unusedEngine,
      alertVector: async (_workspace, query, time) => {
        if (this.fault) return this.fault()
        const source = new MemorySource(this.gauges.map(({ labels, samples }) => held(labels, samples, time)))
        return runAlertQuery(source, { query, time, timeoutMs: 30_000 }, () => false)
      },
    }
  }

  #outbound(): OutboundCalls {
    return {
      refusal: async url => (url.includes('forbidden') ? 'leads to an address that is not allowed' : undefined),
      send: async request => {
        const text = Buffer.from(request.body ?? []).toString('utf8')
        const { headers, url } = request
        this.received.push({ url, headers, text, body: JSON.parse(text), time: this.time.now })
        return { status: await this.answer(request), headers: {}, body: new Uint8Array() }
      },
    }
  }
}

const unused = (): Promise<never> => Promise.reject(new Error('alert rules ask for vectors alone'))

const unusedEngine: MetricEngine = {
  alertVector: unused,
  descriptors: unused,
  drop: unused,
  labels: unused,
  purge: unused,
  push: unused,
  query: unused,
  queryRange: unused,
  usage: unused,
  write: unused,
  written: () => [],
}

const unusedLogEngine: LogEngine = {
  alertVector: unused,
  drop: unused,
  lastNumber: unused,
  newEntries: unused,
  numberBefore: unused,
  purge: unused,
  push: unused,
  query: unused,
  streams: unused,
  tail: unused,
  usage: unused,
  write: unused,
  written: () => [],
}

/** Returns a gauge with a sample at its last value before a time, as a scrape at that time would add. */
function held(labels: Labels, samples: Gauge['samples'], time: number): Series {
  const before = samples.filter(([at]) => at <= time)
  const last = before.at(-1)
  return seriesOf(labels, last && last[1] !== 'stale' && last[0] < time ? [...before, [time, last[1]]] : before)
}

/** A rule of scenario 5 of observability.md. */
export const downRule: AlertRuleInput = {
  name: 'target-down',
  query: 'up == 0',
  evaluation_interval: '10s',
  for: '30s',
  group_interval: '30s',
  receivers: [{ name: 'hook', webhook: { url: 'https://alerts.example/hook' } }],
}

/** Waits until `holds` holds; the workers of a platform look twice a second. */
export async function eventually(holds: () => Promise<void> | void): Promise<void> {
  const until = performance.now() + 60_000
  for (;;) {
    try {
      await holds()
      return
    } catch (error) {
      if (performance.now() > until) throw error
    }
    await sleep(20)
  }
}

/** Asserts that a list has reached a length and does not grow while a worker looks once more. */
export async function settlesAt(list: readonly unknown[], length: number): Promise<void> {
  await eventually(() => expect(list).toHaveLength(length))
  await sleep(700)
  expect(list).toHaveLength(length)
}

/** A served platform over the parts of a world, with a new workspace. */
export interface ServedAlerts {
  readonly platform: TestPlatform
  readonly api: Ninefold['observability']
  /** The id of the organisation of the workspace. */
  readonly organisation: string
  readonly path: { readonly workspace: string; readonly engine: string }
  /** Creates a rule, and returns its id. */
  create(body: AlertRuleInput): Promise<string>
  get(id: string, ofEngine?: string): Promise<AlertRule>
  /** Moves the time past a tick and the jitter of all rules, and returns a rule once it is evaluated at the tick. */
  at(id: string, tickMs: number, ofEngine?: string): Promise<AlertRule>
  /** Moves the time to the next tick of a rule with an interval of 10 s, as `at` does. */
  next(id: string, ofEngine?: string): Promise<AlertRule>
}

/** Serves a platform over the parts of a world; `later` registers its end, and `engine` has the rules. */
export async function serveAlerts(
  world: AlertWorld,
  later: Later,
  { engine = 'native', ...options }: Omit<TestPlatformOptions, 'areas' | 'later'> & { readonly engine?: string } = {},
): Promise<ServedAlerts> {
  const platform = await testPlatform({ ...options, areas: world.areas(), later })
  const { api } = await platform.admin()
  const { organisation, workspace } = await addTenant(api, 'acme')
  const path = { workspace, engine }
  const { observability } = api
  const get = (id: string, ofEngine = engine) => observability.getAlertRule({ workspace, engine: ofEngine, id })
  async function at(id: string, tickMs: number, ofEngine?: string): Promise<AlertRule> {
    world.time.now = tickMs + 1_000
    let rule: AlertRule | undefined
    await eventually(async () => {
      rule = await get(id, ofEngine)
      expect(rule.last_evaluation_time).toBe(new Date(tickMs).toISOString())
    })
    if (!rule) throw new Error('the rule was not read')
    return rule
  }
  return {
    platform,
    api: observability,
    organisation,
    path,
    create: async body => (await observability.createAlertRule({ ...path, body })).resource_id,
    get,
    at,
    next: (id, ofEngine) => at(id, Math.floor(world.time.now / 10_000) * 10_000 + 10_000, ofEngine),
  }
}
