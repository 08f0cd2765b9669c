import { crc32 } from 'node:zlib'
import type { Samples } from './samples.ts'

/**
 * The bytes of a chunk: up to `mostSamples` samples of one series. A header of 16 bytes has the version, the encodings of
 * times and values, the number of samples, a checksum (CRC-32) of all other bytes, and the first time; then follow the
 * times and the values, each from a multiple of 8 bytes on. All numbers are little-endian, as all platforms of Node.js
 * have them. Chunks of version 1 have the number of samples in the place of the checksum.
 */

/** The largest number of samples in a chunk: such a chunk fits into a page of the file. */
export const mostSamples = 240

const versions = { unchecked: 1, checked: 2 } as const
const headerBytes = 16

/** The encodings of times: equal steps, steps of 32 bits, or the times as they are. */
const times = { equalSteps: 0, steps: 1, plain: 2 } as const

/** The encodings of values: the bits as they are, whole numbers of 32 bits, or one number for all. */
const values = { plain: 0, integers: 1, equal: 2 } as const

/** The error of bytes that are no chunk or part of a known version, or that have changed since they were written. */
export class MalformedSamples extends Error {
  override readonly name = 'MalformedSamples'
}

/** Returns the bytes of a chunk of 1 to `mostSamples` samples. */
export function encodeChunk(samples: Samples): Uint8Array {
  const count = samples.times.length
  const timeKind = kindOfTimes(samples.times)
  const valueKind = kindOfValues(samples.values)
  const valuesAt = headerBytes + bytesOfTimes(timeKind, count)
  const bytes = new Uint8Array(valuesAt + bytesOfValues(valueKind, count))
  bytes.set([versions.checked, timeKind, valueKind, count])
  const first = samples.times[0] ?? 0
  new Float64Array(bytes.buffer, 8, 1)[0] = first
  if (timeKind === times.plain) new Float64Array(bytes.buffer, headerBytes, count).set(samples.times)
  else if (timeKind === times.steps) writeSteps(samples.times, new Uint32Array(bytes.buffer, headerBytes, count - 1))
  else new Float64Array(bytes.buffer, headerBytes, 1)[0] = (samples.times[1] ?? first) - first
  if (valueKind === values.plain) new Float64Array(bytes.buffer, valuesAt, count).set(samples.values)
  else if (valueKind === values.integers) new Int32Array(bytes.buffer, valuesAt, count).set(samples.values)
  else new Float64Array(bytes.buffer, valuesAt, 1).set(samples.values.subarray(0, 1))
  new Uint32Array(bytes.buffer, 4, 1)[0] = checksumOf(bytes)
  return bytes
}

/** Returns the samples of a chunk. Throws `MalformedSamples`. The bytes must be the only content of their buffer. */
export function decodeChunk(bytes: Uint8Array): Samples {
  const { buffer } = bytes
  const [given, timeKind = 0, valueKind = 0] = bytes
  const count = countOf(bytes)
  const valuesAt = headerBytes + bytesOfTimes(timeKind, count)
  const isKnown = timeKind <= times.plain && valueKind <= values.equal
  if (!isKnown || bytes.byteOffset !== 0 || bytes.length !== valuesAt + bytesOfValues(valueKind, count))
    throw new MalformedSamples('a chunk is malformed')
  if (given === versions.checked && new Uint32Array(buffer, 4, 1)[0] !== checksumOf(bytes))
    throw new MalformedSamples('a chunk differs from its checksum')
  return {
    times: timesOf(buffer, timeKind, count),
    values: valuesOf(buffer, valueKind, valuesAt, count),
  }
}

/** Returns the number of samples in a chunk without decoding it. Throws `MalformedSamples`. */
export function countOf(bytes: Uint8Array): number {
  const [version, , , count = 0] = bytes
  if (bytes.length >= headerBytes && version === versions.checked) return count
  if (bytes.length < headerBytes || version !== versions.unchecked) throw new MalformedSamples('a chunk is malformed')
  return new Uint32Array(bytes.buffer, bytes.byteOffset + 4, 1)[0] ?? 0
}

/** Returns the checksum of all bytes but those of the checksum itself: the first 4 are the start value of the others. */
const checksumOf = (bytes: Uint8Array): number =>
  crc32(bytes.subarray(8), new Uint32Array(bytes.buffer, bytes.byteOffset, 1)[0])

function kindOfTimes(given: Float64Array): number {
  const first = given[0] ?? 0
  const step = (given[1] ?? first) - first
  let isEqual = true
  for (let i = 1; i < given.length; i += 1) {
    const delta = (given[i] ?? 0) - (given[i - 1] ?? 0)
    if (delta !== step) isEqual = false
    if (!Number.isInteger(delta) || delta > 0xffff_ffff) return times.plain
  }
  return isEqual ? times.equalSteps : times.steps
}

function kindOfValues(given: Float64Array): number {
  const first = given[0] ?? 0
  let isEqual = true
  for (const value of given) {
    // Neither NaN nor the negative zero is a whole number of 32 bits.
    if ((value | 0) !== value || Object.is(value, -0)) return values.plain
    if (value !== first) isEqual = false
  }
  return isEqual ? values.equal : values.integers
}

const rounded = (bytes: number): number => Math.ceil(bytes / 8) * 8

const bytesOfTimes = (kind: number, count: number): number =>
  kind === times.plain ? count * 8 : kind === times.steps ? rounded((count - 1) * 4) : 8

const bytesOfValues = (kind: number, count: number): number =>
  kind === values.plain ? count * 8 : kind === values.integers ? rounded(count * 4) : 8

function writeSteps(given: Float64Array, target: Uint32Array): void {
  for (let i = 0; i < target.length; i += 1) target[i] = (given[i + 1] ?? 0) - (given[i] ?? 0)
}

function timesOf(buffer: ArrayBufferLike, kind: number, count: number): Float64Array {
  if (kind === times.plain) return new Float64Array(buffer, headerBytes, count)
  const result = new Float64Array(count)
  let time = new Float64Array(buffer, 8, 1)[0] ?? 0
  result[0] = time
  if (kind === times.equalSteps) {
    const step = new Float64Array(buffer, headerBytes, 1)[0] ?? 0
    for (let i = 1; i < count; i += 1) result[i] = time += step
    return result
  }
  const steps = new Uint32Array(buffer, headerBytes, count - 1)
  for (let i = 1; i < count; i += 1) result[i] = time += steps[i - 1] ?? 0
  return result
}

function valuesOf(buffer: ArrayBufferLike, kind: number, at: number, count: number): Float64Array {
  if (kind === values.plain) return new Float64Array(buffer, at, count)
  if (kind === values.integers) return Float64Array.from(new Int32Array(buffer, at, count))
  return new Float64Array(count).fill(new Float64Array(buffer, at, 1)[0] ?? 0)
}
