import type { PushedBody, PushRules } from '../../../../domain/observability/metrics/metric-engine.ts'
import { labelsOfKey } from '../../../../domain/observability/metrics/label-key.ts'
import type { MetricBatch } from '../../../../domain/observability/metrics/metric-batch.ts'
import { StaleMarks } from '../../../../domain/observability/metrics/samples.ts'
import { decodePush } from '../../../../domain/observability/ingest/decode-push.ts'
import { DeltaSums } from '../../../../domain/observability/ingest/delta-sums.ts'
import { encoded } from './encoded-messages.ts'

export const plainRules: PushRules = { staticLabels: {}, promotedAttributes: [], deltaToCumulative: false, config: 'a' }

/** A time of points, in nanoseconds and in milliseconds. */
export const at = { nano: '1700000000123456789', milli: 1_700_000_000_123 }

/** Decodes a body in a thread without sums. */
export const decode = (pushed: Partial<PushedBody> & Pick<PushedBody, 'body' | 'format'>, sums = new DeltaSums()) =>
  decodePush({ coding: 'identity', rules: plainRules, ...pushed }, sums)

/** Decodes a request of an exporter from JSON and from protobuf, and returns both results. */
export function decodeBoth(request: object, rules: Partial<PushRules> = {}): readonly MetricBatch[] {
  const all = { rules: { ...plainRules, ...rules } }
  return [
    decode({ ...all, format: 'otlp-json', body: new TextEncoder().encode(JSON.stringify(request)) }),
    decode({ ...all, format: 'otlp-protobuf', body: encoded('ExportMetricsServiceRequest', request) }),
  ]
}

/** Returns a request with metrics of one resource. */
export const requestOf = (metrics: readonly object[], attributes: readonly object[] = []) => ({
  resourceMetrics: [{ resource: { attributes }, scopeMetrics: [{ scope: { name: 's' }, metrics }] }],
})

export const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } })

/** Returns the samples of a batch as lines of `name{labels} value time`, in the order of the batch. */
export const linesOf = ({ ends, keys, times, values }: MetricBatch): string[] =>
  keys.flatMap((key, i) => {
    const { __name__: name, ...others } = labelsOfKey(key)
    const text = Object.entries(others)
      .map(([label, value]) => `${label}="${value}"`)
      .join()
    const marks = new StaleMarks(values)
    const start = ends[i - 1] ?? 0
    return [...times.subarray(start, ends[i])].map(
      (time, index) => `${name}{${text}} ${marks.has(start + index) ? 'stale' : values[start + index]} ${time}`,
    )
  })
