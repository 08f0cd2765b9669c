import type { PushRules } from '../../metrics/metric-engine.ts'
import type { MetricMetadata } from '../../metrics/samples.ts'
import type { DeltaSums } from '../delta-sums.ts'
import { nameFault, seriesFault, sortedLabels } from '../label-rules.ts'
import type { SampleBatch, SortedLabels } from '../sample-batch.ts'
import type { KeyValue } from './common-messages.ts'
import type { ExportMetricsRequest, Metric, ResourceMetrics } from './otlp-messages.ts'
import { metricName } from './otlp-names.ts'
import { histogramSamples, numberSamples, summarySamples, type PointSamples } from './point-samples.ts'
import { pointLabels, resourceLabels, type ResourceLabels } from './resource-labels.ts'

/** The temporalities of sums and histograms (opentelemetry/proto/metrics/v1, AggregationTemporality). */
const temporalities = { delta: 1, cumulative: 2 } as const

/** The members that the points of all kinds have. */
interface Point {
  readonly attributes: Iterable<KeyValue>
  readonly timeUnixNano: number | undefined
}

/** A metric whose points are read. */
interface NamedPoints<Of extends Point> {
  readonly metadata: MetricMetadata
  readonly points: Iterable<Of>
  readonly temporality: number
  readonly samplesOf: (point: Of) => PointSamples
}

/** Writes the metrics of a request of OTLP into a batch. Throws PAYLOAD_INVALID and PAYLOAD_TOO_LARGE. */
export function readMetrics(
  request: ExportMetricsRequest,
  rules: PushRules,
  sums: DeltaSums,
  batch: SampleBatch,
): void {
  for (const resource of request.resourceMetrics) new ResourceReader(resource, rules, sums, batch).read(resource)
}

/** Reads the metrics of one resource. */
class ResourceReader {
  readonly #rules: PushRules
  readonly #sums: DeltaSums
  readonly #batch: SampleBatch
  readonly #labels: ResourceLabels
  /** The times of the points that were taken, for `target_info`. */
  readonly #times = new Set<number>()

  constructor({ resource }: ResourceMetrics, rules: PushRules, sums: DeltaSums, batch: SampleBatch) {
    this.#rules = rules
    this.#sums = sums
    this.#batch = batch
    this.#labels = resourceLabels(resource?.attributes ?? [], rules)
  }

  read({ scopeMetrics }: ResourceMetrics): void {
    for (const { metrics } of scopeMetrics) for (const metric of metrics) this.#readMetric(metric)
    this.#writeTargetInfo()
  }

  #readMetric(metric: Metric): void {
    const { exponentialHistogram, gauge, histogram, sum, summary } = metric
    const { cumulative } = temporalities
    if (gauge)
      this.#readPoints({
        metadata: metadataOf(metric, 'GAUGE', 'gauge'),
        points: gauge.dataPoints,
        temporality: cumulative,
        samplesOf: numberSamples,
      })
    if (sum) {
      const { aggregationTemporality: temporality = 0, dataPoints: points, isMonotonic = false } = sum
      const metadata = isMonotonic ? metadataOf(metric, 'COUNTER', 'counter') : metadataOf(metric, 'GAUGE', 'other')
      this.#readPoints({ metadata, points, temporality, samplesOf: numberSamples })
    }
    if (histogram) {
      const { aggregationTemporality: temporality = 0, dataPoints: points } = histogram
      const metadata = metadataOf(metric, 'HISTOGRAM', 'other')
      this.#readPoints({ metadata, points, temporality, samplesOf: histogramSamples })
    }
    if (summary)
      this.#readPoints({
        metadata: metadataOf(metric, 'SUMMARY', 'other'),
        points: summary.dataPoints,
        temporality: cumulative,
        samplesOf: summarySamples,
      })
    const message = `${metric.name?.slice(0, 256) ?? 'a metric'} is an exponential histogram; send explicit bounds`
    for (const _ of exponentialHistogram?.dataPoints ?? [])
      this.#batch.refuse({ reason: 'exponential_histogram', message })
  }

  #readPoints<Of extends Point>(metric: NamedPoints<Of>): void {
    const { metadata, points, samplesOf, temporality } = metric
    let isTaken = false
    const fault = nameFault(metadata.name) ?? this.#temporalityFault(metadata.name, temporality)
    for (const point of points) {
      const refusal = fault ?? this.#takePoint(metadata.name, point, samplesOf(point), temporality)
      if (refusal) this.#batch.refuse(refusal)
      else isTaken = true
    }
    if (isTaken) this.#batch.describe(metadata)
  }

  #temporalityFault(name: string, temporality: number) {
    if (temporality === temporalities.cumulative) return undefined
    if (temporality !== temporalities.delta)
      return { reason: 'temporality_missing', message: `${name} has no temporality` }
    if (this.#rules.deltaToCumulative) return undefined
    const message = `${name} has delta temporality; send cumulative points, or set delta_to_cumulative`
    return { reason: 'delta_temporality', message }
  }

  /** Adds the samples of a point to the batch; returns why the point is refused as a whole. */
  #takePoint(name: string, point: Point, samples: PointSamples, temporality: number) {
    if ('reason' in samples) return { ...samples, message: `${name} ${samples.message}` }
    const time = point.timeUnixNano ?? 0
    if (time === 0) return { reason: 'time_missing', message: `${name} has a point without a time` }
    const labels = new Map([...this.#labels.promoted, ...pointLabels(point.attributes), ...this.#labels.fixed])
    const series = samples.map(({ label, suffix, value }) => ({
      labels: sortedLabels(new Map([...labels, ['__name__', name + suffix], ...(label ? [label] : [])])),
      value,
    }))
    const fault = series.map(of => seriesFault(of.labels)).find(of => of !== undefined)
    if (fault) return fault
    const isDelta = temporality === temporalities.delta
    const { config } = this.#rules
    if (isDelta && !series.every(of => this.#sums.isNext(config, of.labels, time)))
      return { reason: 'delta_out_of_order', message: `${name} has a delta that is not later than the one before` }
    const valueOf = ({ labels, value }: (typeof series)[number]) =>
      isDelta && value !== 'stale' ? this.#sums.add(config, labels, time, value) : value
    for (const of of series) this.#batch.add(of.labels, time, valueOf(of))
    this.#times.add(time)
    return undefined
  }

  /** Writes the attributes of the resource as the labels of a series that is 1 whenever the resource has points. */
  #writeTargetInfo(): void {
    const { fixed, info } = this.#labels
    if (info === undefined || this.#times.size === 0) return
    const labels: SortedLabels = sortedLabels(new Map([...info, ...fixed, ['__name__', 'target_info']]))
    const fault = seriesFault(labels)
    if (fault) return this.#batch.refuse(fault)
    for (const time of this.#times) this.#batch.add(labels, time, 1)
    this.#batch.describe({ name: 'target_info', type: 'GAUGE', unit: '', description: 'Target metadata' })
  }
}

function metadataOf(
  { description = '', name = '', unit = '' }: Metric,
  type: MetricMetadata['type'],
  named: 'counter' | 'gauge' | 'other',
): MetricMetadata {
  return { name: metricName({ name, unit, type: named }), type, unit, description }
}
