import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { metricsOf, type Metric, type Sources } from './metrics.ts'
import type { Distribution } from '../meters/samples.ts'

/** The metrics in the text format of Prometheus. */
export interface Exposition {
  text(): Promise<string>
}

/**
 * Returns the metrics of a server and of its process: event loop, memory, garbage collection, descriptors. The values
 * are read from the meters on demand, so that counting costs almost nothing.
 */
export function exposition(sources: Sources): Exposition {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const metric of metricsOf(sources)) expose(metric, registry)
  return {
    async text() {
      await sources.backlog.refresh()
      return registry.metrics()
    },
  }
}

function expose(metric: Metric, registry: Registry): void {
  const { name, help, labels = [] } = metric
  const named = { name, help, labelNames: labels, registers: [registry] }
  if (metric.kind === 'histogram') {
    new KeptHistogram(named, metric.read)
    return
  }
  if (metric.kind === 'counter') {
    new Counter({
      ...named,
      collect() {
        this.reset()
        for (const { labels: values, value } of metric.read()) this.inc(values, value)
      },
    })
    return
  }
  new Gauge({
    ...named,
    collect() {
      this.set(metric.read())
    },
  })
}

/** A histogram with values from a meter. */
class KeptHistogram extends Histogram {
  readonly #named: { readonly name: string; readonly help: string }
  readonly #read: () => readonly Distribution[]

  constructor(
    named: {
      readonly name: string
      readonly help: string
      readonly labelNames: readonly string[]
      registers: Registry[]
    },
    read: () => readonly Distribution[],
  ) {
    super(named)
    this.#named = named
    this.#read = read
  }

  /** Returns the values of the histogram. The registry calls this method on every histogram. */
  async getForPromString(): Promise<object> {
    const { name, help } = this.#named
    return {
      name,
      help,
      type: 'histogram',
      aggregator: 'sum',
      values: this.#read().flatMap(series => rows(name, series)),
    }
  }
}

/** Returns the cumulative buckets of a series, its sum and its count. */
function rows(name: string, { labels, buckets }: Distribution): object[] {
  let count = 0
  const cumulated = Array.from(buckets.counts, (own, index) => {
    count += own
    return { metricName: `${name}_bucket`, labels: { le: buckets.bounds[index] ?? '+Inf', ...labels }, value: count }
  })
  return [
    ...cumulated,
    { metricName: `${name}_sum`, labels, value: buckets.sum },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
