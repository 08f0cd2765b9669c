import { describe, expect, it } from 'vitest'
import {
  countOf,
  decodeChunk,
  encodeChunk,
  MalformedSamples,
} from '../../../../server/observability/native/format/chunk.ts'
import { hashOfKey, labelKey, labelsOfKey } from '../../../../domain/observability/metrics/label-key.ts'
import {
  decodePart,
  encodePart,
  requireUnchanged,
  samplesOfSeries,
} from '../../../../server/observability/native/format/part.ts'
import { partOf, PendingSamples } from '../../../../server/observability/native/format/pending-samples.ts'
import { given, mergeSamples, samplesBetween } from '../../../../server/observability/native/format/samples.ts'
import { withChangedBit } from './changed-bytes.ts'
import { noon, series, type Sample } from './engines.ts'
import { unchecked } from './unchecked.ts'

/** Returns samples as their times and the bits of their values. */
const bitsOf = ({ times, values }: { times: Float64Array; values: Float64Array }): readonly unknown[] => {
  const copy = new Float64Array(values.length)
  copy.set(values)
  return [[...times], [...new BigUint64Array(copy.buffer)]]
}

const samples = (...given: readonly Sample[]) => series({}, given)

const everySecond = (values: readonly (number | 'stale')[]) =>
  samples(...values.map((value, i): Sample => [noon + i * 1000, value]))

describe('a chunk', () => {
  it.each([
    ['one sample', samples([noon, 1.5])],
    ['equal values at equal steps', everySecond([7, 7, 7])],
    ['whole numbers', everySecond([0, -1, 2 ** 31 - 1, -(2 ** 31)])],
    ['numbers above 32 bits', everySecond([2 ** 31, 2 ** 53])],
    ['a negative zero', everySecond([0, -0])],
    ['NaN, stale marks and infinities', everySecond([Number.NaN, 'stale', Infinity, -Infinity])],
    ['stale marks alone', everySecond(['stale', 'stale'])],
    ['unequal steps', samples([noon, 1], [noon + 1, 2], [noon + 7, 3])],
    ['times with fractions', samples([noon + 0.25, 1], [noon + 0.5, 2], [noon + 1, 2])],
    ['steps above 32 bits', samples([0, 1], [2 ** 33, 2])],
    ['240 samples', everySecond(Array.from({ length: 240 }, (_, i) => i / 3))],
  ])('keeps %s', (_, given) => {
    const bytes = encodeChunk(given)
    expect(countOf(bytes)).toBe(given.times.length)
    expect(bitsOf(decodeChunk(bytes))).toEqual(bitsOf(given))
  })

  it('fits into a page of the file', () => {
    const uneven = samples(...Array.from({ length: 240 }, (_, i): Sample => [noon + i * 1000 + 1 / (i + 2), i / 7]))
    expect(encodeChunk(uneven).length).toBeLessThan(4060)
  })

  it.each([
    ['cut off', (bytes: Uint8Array) => bytes.slice(0, -1)],
    ['of another version', (bytes: Uint8Array) => Uint8Array.of(9, ...bytes.slice(1))],
    ['too long', (bytes: Uint8Array) => Uint8Array.of(...bytes, 0)],
    ['empty', () => new Uint8Array(0)],
  ])('is refused if it is %s', (_, change) => {
    expect(() => decodeChunk(change(encodeChunk(everySecond([1, 2, 3]))))).toThrow(MalformedSamples)
  })
})

describe('each changed bit', () => {
  it.each([
    ['equal values at equal steps', everySecond([7, 7, 7])],
    ['whole numbers at unequal steps', samples([noon, 1], [noon + 1, 2], [noon + 7, 3])],
    ['any values at any times', samples([noon + 0.25, 1.5], [noon + 0.5, 2], [noon + 1, 'stale'])],
  ])('of a chunk of %s is found', (_, given) => {
    for (const changed of withChangedBit(encodeChunk(given)))
      expect(() => decodeChunk(changed)).toThrow(MalformedSamples)
  })

  it('of a part is found', () => {
    const part = partOf([3, 9], [samples([noon, 1]), samples([noon, 2], [noon + 1, 'stale'])])
    for (const changed of withChangedBit(encodePart(part)))
      expect(() => {
        decodePart(changed)
        requireUnchanged(changed)
      }).toThrow(MalformedSamples)
  })
})

it('chunks and parts of version 1, which have no checksum, are read', () => {
  const given = samples([noon, 1], [noon + 1, 2], [noon + 7, 'stale'])
  const chunk = unchecked(encodeChunk(given))
  expect(countOf(chunk)).toBe(3)
  expect(bitsOf(decodeChunk(chunk))).toEqual(bitsOf(given))
  const part = unchecked(encodePart(partOf([3], [given])))
  requireUnchanged(part)
  expect(bitsOf(samplesOfSeries(decodePart(part), 3))).toEqual(bitsOf(given))
})

describe('the samples that wait for a commit', () => {
  it('become a part in the order of series and times, in which the first of equal times counts', () => {
    const pending = new PendingSamples()
    const add = (id: number, ...list: readonly Sample[]) => pending.add(id, given(samples(...list)), 0, list.length)
    add(9, [noon, 1], [noon + 2, 'stale'])
    add(3, [noon, 5])
    add(9, [noon + 1, 2], [noon + 2, 3])
    const part = decodePart(encodePart(pending.toPart()))
    expect([...part.ids]).toEqual([3, 9])
    expect(bitsOf(samplesOfSeries(part, 9))).toEqual(bitsOf(samples([noon, 1], [noon + 1, 2], [noon + 2, 'stale'])))
    expect(bitsOf(samplesOfSeries(part, 3))).toEqual(bitsOf(samples([noon, 5])))
    expect(samplesOfSeries(part, 4).times).toHaveLength(0)
  })

  it('may be many', () => {
    const pending = new PendingSamples()
    for (let i = 0; i < 5000; i += 1) pending.add(5000 - i, given(samples([noon, i], [noon + 1, 'stale'])), 0, 2)
    const { ids, times } = pending.toPart()
    expect([ids[0], ids[4999], times.length]).toEqual([1, 5000, 10_000])
  })
})

describe('lists of samples', () => {
  it('are merged in the order of times, and the earlier list wins', () => {
    const merged = mergeSamples([
      samples([noon + 1, 1], [noon + 3, 'stale']),
      samples([noon, 0], [noon + 1, 9], [noon + 2, 2], [noon + 3, 9], [noon + 4, 4]),
    ])
    const expected = samples([noon, 0], [noon + 1, 1], [noon + 2, 2], [noon + 3, 'stale'], [noon + 4, 4])
    expect(bitsOf(merged)).toEqual(bitsOf(expected))
  })

  it('are cut after one time, and including another', () => {
    const given = everySecond([0, 1, 2, 3])
    expect([...samplesBetween(given, noon, noon + 2000).values]).toEqual([1, 2])
    expect([...samplesBetween(given, noon - 1, noon - 1).values]).toEqual([])
  })
})

describe('the key of a series', () => {
  it('does not depend on the order of labels or on empty labels', () => {
    expect(labelKey({ b: '2', a: '1', c: '' })).toBe(labelKey({ a: '1', b: '2' }))
  })

  it('differs for different labels', () => {
    const all = [
      { a: '1' },
      { a: '1', b: '2' },
      { a: '1,b', 2: '' },
      { a: '"1' },
      { a1: '' },
      { a: '\u00001' },
      { a: '\ud800' },
    ]
    expect(new Set(all.map(labelKey)).size).toBe(all.length)
    expect(new Set(all.map(each => hashOfKey(labelKey(each)))).size).toBe(all.length)
  })

  it('gives the labels back, of any name', () => {
    const labels = Object.fromEntries([
      ['__proto__', 'a'],
      ['constructor', 'b'],
      ['é', '\ud800'],
    ])
    expect(Object.entries(labelsOfKey(labelKey(labels))).sort()).toEqual(Object.entries(labels).sort())
  })
})
