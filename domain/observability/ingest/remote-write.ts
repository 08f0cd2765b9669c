import type { PushRules } from '../metrics/metric-engine.ts'
import { StaleMarks, type MetricMetadata } from '../metrics/samples.ts'
import { seriesFault, sortedLabels } from './label-rules.ts'
import type { Refusal, SampleBatch, SampleValue, SortedLabels } from './sample-batch.ts'
import { int64, small, text, wireTypes, type Kind } from './wire/kinds.ts'
import { many, MessageKind, one } from './wire/message.ts'

/** One value whose bits are looked at. */
const looked = new Float64Array(1)
const bytes = new Uint8Array(looked.buffer)
const marks = new StaleMarks(looked)
const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

/** Values of samples. The bits of a NaN are compared as bytes, because JavaScript may change them in a number. */
const sampleValue: Kind<SampleValue> = {
  wire: wireTypes.fixed64,
  fromProtobuf(reader) {
    const start = reader.pos
    const value = reader.double()
    if (!Number.isNaN(value)) return value
    bytes.set(reader.buf.subarray(start, reader.pos))
    if (!isLittleEndian) bytes.reverse()
    return marks.has(0) ? 'stale' : value
  },
  fromJson() {
    throw new Error('remote write has no JSON')
  },
}

const labelKind = new MessageKind({ name: one(1, text), value: one(2, text) })

const series = new MessageKind({
  labels: many(1, labelKind),
  samples: many(2, new MessageKind({ value: one(1, sampleValue), timestamp: one(2, int64) })),
  // Native histograms are counted and not read.
  histograms: many(4, new MessageKind({})),
})

const metadataKind = new MessageKind({
  type: one(1, small),
  metricFamilyName: one(2, text),
  help: one(4, text),
  unit: one(5, text),
})

/** A request of Prometheus remote write 1.0 (prometheus/prompb, WriteRequest). */
export const writeRequest = new MessageKind({ timeseries: many(1, series), metadata: many(3, metadataKind) })

/** The types of metadata, by their numbers. */
const types: readonly MetricMetadata['type'][] = [
  'UNKNOWN',
  'COUNTER',
  'GAUGE',
  'HISTOGRAM',
  'UNKNOWN',
  'SUMMARY',
  'GAUGE',
  'GAUGE',
]

/** The largest number of labels that are read of a series; a series beyond the limit of labels is refused anyway. */
const maxLabelsRead = 256

/** Writes a request of remote write into a batch. Throws PAYLOAD_INVALID and PAYLOAD_TOO_LARGE. */
export function readWriteRequest(
  request: ReturnType<typeof writeRequest.whole>,
  { staticLabels }: PushRules,
  batch: SampleBatch,
): void {
  for (const { histograms, labels, samples } of request.timeseries) {
    const read = labelsOf(labels, staticLabels)
    for (const { timestamp = 0, value = 0 } of samples) {
      if ('reason' in read) batch.refuse(read)
      else batch.add(read, timestamp, value)
    }
    const message = `${nameIn(read)} has native histograms; send classic histograms`
    for (const _ of histograms) batch.refuse({ reason: 'native_histogram', message })
  }
  for (const { help = '', metricFamilyName: name = '', type = 0, unit = '' } of request.metadata)
    if (name !== '') batch.describe({ name, type: types[type] ?? 'UNKNOWN', unit, description: help })
}

/** Returns the labels of a series with the static labels, which count before the sent ones; or why it is refused. */
function labelsOf(
  sent: Iterable<{ readonly name: string | undefined; readonly value: string | undefined }>,
  staticLabels: PushRules['staticLabels'],
): SortedLabels | Refusal {
  const labels = new Map<string, string>()
  for (const { name = '', value = '' } of sent) {
    const metric = labels.get('__name__') ?? ''
    if (name === '') return { reason: 'label_name_invalid', message: `${metric} has a label without a name` }
    if (labels.has(name))
      return { reason: 'label_duplicate', message: `${metric} has the label ${name.slice(0, 80)} twice` }
    labels.set(name, value)
    if (labels.size > maxLabelsRead) break
  }
  for (const [name, value] of Object.entries(staticLabels)) if (name !== '__name__') labels.set(name, value)
  const sorted = sortedLabels(labels)
  return seriesFault(sorted) ?? sorted
}

const nameIn = (read: SortedLabels | Refusal) =>
  'reason' in read ? 'a series' : (read.find(([name]) => name === '__name__')?.[1] ?? '')
