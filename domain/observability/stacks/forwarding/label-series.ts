import { encodeMessage } from '../../ingest/wire/encode-message.ts'
import type { LabelledRequest } from './label-protobuf.ts'
import { countedPlaces, type OwnAttributes } from './own-attributes.ts'
import { wireFields } from './wire-fields.ts'

/** The numbers of fields of remote write 1.0 (prometheus/prompb). */
const fields = { timeseries: 1, labels: 1, samples: 2, histograms: 4, name: 1, value: 2 } as const

/**
 * Returns a request of remote write 1.0 whose series have the own labels in place of those of the sender, and the number
 * of its samples and native histograms. Labels are in the order of their names, as the protocol demands. Metadata is left
 * out: a store without tenants has it once for all workspaces. Throws PAYLOAD_INVALID for bytes that are no message, and
 * PAYLOAD_TOO_LARGE.
 */
export function labelSeries(request: Uint8Array, own: OwnAttributes): LabelledRequest {
  let items = 0
  const countPlace = countedPlaces(own)
  const parts: Uint8Array[] = []
  for (const { bytes, number } of wireFields(request)) {
    if (number !== fields.timeseries || bytes === undefined) continue
    countPlace()
    const labels = new Map<string, string>()
    const rest: Uint8Array[] = []
    for (const field of wireFields(bytes)) {
      if (field.number === fields.samples || field.number === fields.histograms) items += 1
      if (field.number === fields.labels && field.bytes) setLabel(labels, field.bytes, own)
      else rest.push(field.raw)
    }
    for (const [name, value] of own.pairs) if (name !== '__name__') labels.set(name, value)
    const sorted = [...labels].toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
    const written = sorted.map(pair => [fields.labels, labelMessage(pair)] as const)
    parts.push(encodeMessage([[fields.timeseries, Buffer.concat([encodeMessage(written), ...rest])]]))
  }
  return { body: Buffer.concat(parts), items }
}

const labelMessage = ([name, value]: readonly [string, string]): Uint8Array =>
  encodeMessage([
    [fields.name, name],
    [fields.value, value],
  ])

/** Sets the label of a message, unless it gives way. */
function setLabel(labels: Map<string, string>, message: Uint8Array, own: OwnAttributes): void {
  const all = [...wireFields(message)]
  const textOf = (number: number): string =>
    new TextDecoder().decode(all.findLast(field => field.number === number)?.bytes)
  const name = textOf(fields.name)
  if (!own.replaces(name)) labels.set(name, textOf(fields.value))
}
