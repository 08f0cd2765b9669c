import { crc32 } from 'node:zlib'
import { MalformedSamples } from './chunk.ts'
import { noSamples, type Samples } from './samples.ts'

/** Samples of many series that one commit has written, or several commits together. */
export interface Part {
  /** The ids of the series, ascending. */
  readonly ids: Uint32Array
  /** For each series, the position after its last sample; its samples begin where those of the series before end. */
  readonly ends: Uint32Array
  /** The times and values of all samples; those of each series in the order of times. */
  readonly times: Float64Array
  readonly values: Float64Array
}

/** Parts of version 1 have no checksum. */
const versions = { unchecked: 1, checked: 2 } as const
const headerBytes = 16
const checksumAt = 12

/**
 * Returns the bytes of a part: version, numbers of series and samples, a checksum (CRC-32) of all other bytes, times,
 * values, ids, ends.
 */
export function encodePart({ ends, ids, times, values }: Part): Uint8Array {
  const bytes = new Uint8Array(bytesOf(ids.length, times.length))
  new Uint32Array(bytes.buffer, 0, 3).set([versions.checked, ids.length, times.length])
  new Float64Array(bytes.buffer, headerBytes, times.length).set(times)
  new Float64Array(bytes.buffer, headerBytes + times.length * 8, times.length).set(values)
  const idsAt = headerBytes + times.length * 16
  new Uint32Array(bytes.buffer, idsAt, ids.length).set(ids)
  new Uint32Array(bytes.buffer, idsAt + ids.length * 4, ids.length).set(ends)
  new Uint32Array(bytes.buffer, checksumAt, 1)[0] = checksumOf(bytes)
  return bytes
}

/**
 * Returns the part of some bytes, whose memory the part shares. Throws `MalformedSamples`. The checksum is left to
 * `requireUnchanged`.
 */
export function decodePart(bytes: Uint8Array): Part {
  if (bytes.length < headerBytes || bytes.byteOffset !== 0) throw new MalformedSamples('a part is malformed')
  const { buffer } = bytes
  const [given, series = 0, samples = 0] = new Uint32Array(buffer, 0, 3)
  const isKnown = given === versions.checked || given === versions.unchecked
  if (!isKnown || bytes.length !== bytesOf(series, samples)) throw new MalformedSamples('a part is malformed')
  const idsAt = headerBytes + samples * 16
  return {
    ids: new Uint32Array(buffer, idsAt, series),
    ends: new Uint32Array(buffer, idsAt + series * 4, series),
    times: new Float64Array(buffer, headerBytes, samples),
    values: new Float64Array(buffer, headerBytes + samples * 8, samples),
  }
}

/** Throws `MalformedSamples` if the bytes of a part, which can be decoded, differ from their checksum. */
export function requireUnchanged(bytes: Uint8Array): void {
  const [version] = new Uint32Array(bytes.buffer, 0, 1)
  const [checksum] = new Uint32Array(bytes.buffer, checksumAt, 1)
  if (version === versions.checked && checksum !== checksumOf(bytes))
    throw new MalformedSamples('a part differs from its checksum')
}

/** Returns the samples of the series at a position of `ids`. */
export function samplesAt({ ends, times, values }: Part, position: number): Samples {
  const start = position === 0 ? 0 : (ends[position - 1] ?? 0)
  const end = ends[position] ?? start
  return { times: times.subarray(start, end), values: values.subarray(start, end) }
}

/** Returns the samples of a series; none if the part has none. */
export function samplesOfSeries(part: Part, id: number): Samples {
  const position = positionOfSeries(part, id)
  return part.ids[position] === id ? samplesAt(part, position) : noSamples
}

/** Returns the position of a series in `ids`, or the position of the next one if the part has no sample of the series. */
export function positionOfSeries({ ids }: Part, id: number): number {
  let low = 0
  let high = ids.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ids[middle] ?? 0) < id) low = middle + 1
    else high = middle
  }
  return low
}

const bytesOf = (series: number, samples: number): number => headerBytes + samples * 16 + series * 8

const checksumOf = (bytes: Uint8Array): number =>
  crc32(bytes.subarray(headerBytes), crc32(bytes.subarray(0, checksumAt)))
