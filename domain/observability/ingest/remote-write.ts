import { labelsOfKey } from '../metrics/label-key.ts'
import type { PushRules } from '../metrics/metric-engine.ts'
import type { MetricMetadata } from '../metrics/samples.ts'
import { keyOfSorted, seriesFault, sortedLabels } from './label-rules.ts'
import { malformedMessage, readableMessage } from './payload-faults.ts'
import { findSeries, readSamples } from './remote-write-series.ts'
import type { SampleBatch } from './sample-batch.ts'
import type { KeyOrRefusal, KeysOfRules, SeriesKeys } from './series-keys.ts'
import { small, text, wireTypes } from './wire/kinds.ts'
import { many, MessageKind, one } from './wire/message.ts'
import { MessageReader } from './wire/message-reader.ts'

const labelKind = new MessageKind({ name: one(1, text), value: one(2, text) })

const labelled = new MessageKind({ labels: many(1, labelKind) })

const metadataKind = new MessageKind({
  type: one(1, small),
  metricFamilyName: one(2, text),
  help: one(4, text),
  unit: one(5, text),
})

/** The fields of a request of Prometheus remote write 1.0 (prometheus/prompb, WriteRequest). */
const fields = { timeseries: 1, metadata: 3 } as const

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

/** Reads a request of remote write into a batch. Throws PAYLOAD_INVALID and PAYLOAD_TOO_LARGE. */
export function readWriteRequest(reader: MessageReader, rules: PushRules, known: SeriesKeys, batch: SampleBatch): void {
  const keys = known.of(rules)
  readableMessage(() => {
    while (reader.pos < reader.len) {
      const tag = reader.tag()
      const [field, wire] = [tag >>> 3, tag & 7]
      if (field !== fields.timeseries && field !== fields.metadata) reader.skipType(wire, 0, field)
      else if (wire !== wireTypes.bytes) throw malformedMessage()
      else {
        reader.budget.spend()
        if (field === fields.timeseries) readSeries(reader, rules, keys, batch)
        else describe(metadataKind.fromProtobuf(reader), batch)
      }
    }
  })
}

function readSeries(reader: MessageReader, rules: PushRules, keys: KeysOfRules, batch: SampleBatch): void {
  const found = findSeries(reader, reader.endOfBytes())
  const key = keys.find(found.labels, () => keyOf(new MessageReader(found.labels, reader.budget), rules))
  readSamples(reader, found, (time, value) => {
    if (typeof key === 'string') batch.add(key, time, value)
    else batch.refuse(key)
  })
  if (found.histograms === 0) return
  const message = `${nameIn(key)} has native histograms; send classic histograms`
  for (let i = 0; i < found.histograms; i += 1) batch.refuse({ reason: 'native_histogram', message })
}

function describe(
  { help = '', metricFamilyName: name = '', type = 0, unit = '' }: ReturnType<typeof metadataKind.whole>,
  batch: SampleBatch,
): void {
  if (name !== '') batch.describe({ name, type: types[type] ?? 'UNKNOWN', unit, description: help })
}

/** Returns the key of a series with the static labels, which count before the sent ones; or why it is refused. */
function keyOf(reader: MessageReader, { staticLabels }: PushRules): KeyOrRefusal {
  const labels = new Map<string, string>()
  for (const { name = '', value = '' } of labelled.whole(reader).labels) {
    const metric = labels.get('__name__') ?? ''
    if (name === '') return { reason: 'label_name_invalid', message: `${metric} has a label without a name` }
    if (labels.has(name))
      return { reason: 'label_duplicate', message: `${metric} has the label ${name.slice(0, 80)} twice` }
    labels.set(name, value)
    if (labels.size > maxLabelsRead) break
  }
  for (const [name, value] of Object.entries(staticLabels)) if (name !== '__name__') labels.set(name, value)
  const sorted = sortedLabels(labels)
  return seriesFault(sorted) ?? keyOfSorted(sorted)
}

const nameIn = (key: KeyOrRefusal): string =>
  typeof key === 'string' ? (labelsOfKey(key)['__name__'] ?? '') : 'a series'
