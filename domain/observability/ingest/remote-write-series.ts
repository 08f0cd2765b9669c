import { StaleMarks } from '../metrics/samples.ts'
import { malformedMessage } from './payload-faults.ts'
import type { SampleValue } from './sample-columns.ts'
import { wireTypes } from './wire/kinds.ts'
import type { MessageReader } from './wire/message-reader.ts'

/** One value whose bits are looked at. */
const looked = new Float64Array(1)
const bytes = new Uint8Array(looked.buffer)
const marks = new StaleMarks(looked)
const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

const tagOf = (field: number, wire: number): number => field * 8 + wire

/** The tags of the fields of a TimeSeries and of a Sample (prometheus/prompb, types.proto). */
const tags = {
  labels: tagOf(1, wireTypes.bytes),
  samples: tagOf(2, wireTypes.bytes),
  histograms: tagOf(4, wireTypes.bytes),
  value: tagOf(1, wireTypes.fixed64),
  timestamp: tagOf(2, wireTypes.varint),
} as const

const seriesFields: ReadonlySet<number> = new Set([1, 2, 4])
const sampleFields: ReadonlySet<number> = new Set([1, 2])

/**
 * The largest number of places between other fields at which labels of one series are read. A series with more labels is
 * refused anyway.
 */
const maxPieces = 256

/** A series of a request, of which nothing but the places of its fields was read. */
export interface FoundSeries {
  /** The bytes of its labels, each label with its tag and its length. */
  readonly labels: Buffer
  readonly samples: number
  /** The position of the first sample. */
  readonly firstSample: number
  /** The position after the series. */
  readonly end: number
  readonly histograms: number
}

/**
 * Looks through a series up to the position `end`, and goes on after it. Throws PAYLOAD_INVALID, PAYLOAD_TOO_LARGE, and
 * errors of the reader.
 */
export function findSeries(reader: MessageReader, end: number): FoundSeries {
  const labels: Buffer[] = []
  let labelsFrom = -1
  let labelsTo = -1
  let firstSample = end
  let samples = 0
  let histograms = 0
  while (reader.pos < end) {
    const from = reader.pos
    const tag = reader.tag()
    if (tag === tags.labels || tag === tags.samples || tag === tags.histograms) reader.pos = reader.endOfBytes()
    else skipUnknown(reader, tag, seriesFields)
    if (tag === tags.samples) {
      if (samples === 0) firstSample = from
      samples += 1
    } else if (tag === tags.histograms) histograms += 1
    else if (tag === tags.labels) {
      if (from !== labelsTo && labelsTo >= 0 && labels.length < maxPieces)
        labels.push(slice(reader, labelsFrom, labelsTo))
      if (from !== labelsTo) labelsFrom = from
      labelsTo = reader.pos
    }
  }
  requireEnd(reader, end)
  const last = slice(reader, labelsFrom, labelsTo)
  reader.budget.spend(samples + histograms)
  return {
    labels: labels.length === 0 ? last : Buffer.concat([...labels, last]),
    samples,
    firstSample,
    end,
    histograms,
  }
}

/** Reads the samples of a series, and goes on after it. Throws PAYLOAD_INVALID and errors of the reader. */
export function readSamples(
  reader: MessageReader,
  { end, firstSample }: FoundSeries,
  add: (time: number, value: SampleValue) => void,
): void {
  reader.pos = firstSample
  while (reader.pos < end) {
    const tag = reader.tag()
    if (tag === tags.samples) readSample(reader, reader.endOfBytes(), add)
    else reader.skipType(tag & 7, 0, tag >>> 3)
  }
}

function readSample(reader: MessageReader, end: number, add: (time: number, value: SampleValue) => void): void {
  let time = 0
  let value: SampleValue = 0
  while (reader.pos < end) {
    const tag = reader.tag()
    if (tag === tags.value) value = readValue(reader)
    else if (tag === tags.timestamp) time = reader.integer()
    else skipUnknown(reader, tag, sampleFields)
  }
  requireEnd(reader, end)
  add(time, value)
}

/** Reads a value. The bits of a NaN are compared as bytes, because JavaScript may change them in a number. */
function readValue(reader: MessageReader): SampleValue {
  const start = reader.pos
  const value = reader.double()
  if (!Number.isNaN(value)) return value
  bytes.set(reader.buf.subarray(start, reader.pos))
  if (!isLittleEndian) bytes.reverse()
  return marks.has(0) ? 'stale' : value
}

/** Skips a field after its tag. Throws PAYLOAD_INVALID for a known field, whose tag is another. */
function skipUnknown(reader: MessageReader, tag: number, known: ReadonlySet<number>): void {
  if (known.has(tag >>> 3)) throw malformedMessage()
  reader.skipType(tag & 7, 0, tag >>> 3)
}

function requireEnd(reader: MessageReader, end: number): void {
  if (reader.pos !== end) throw malformedMessage()
}

const slice = ({ buf }: MessageReader, from: number, to: number): Buffer =>
  Buffer.from(buf.buffer, buf.byteOffset + Math.max(from, 0), Math.max(to, 0) - Math.max(from, 0))
