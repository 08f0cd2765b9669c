import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { DayFile } from '../../../../server/observability/native/files/day-file.ts'
import { PendingSamples } from '../../../../server/observability/native/format/pending-samples.ts'
import { given } from '../../../../server/observability/native/format/samples.ts'
import { Compaction, compactWhole } from '../../../../server/observability/native/writing/compaction.ts'
import { seeded, type Random } from '../../../areas/random.ts'
import { versionOf } from './changed-bytes.ts'
import { newFolder, noon, series } from './engines.ts'
import { unchecked } from './unchecked.ts'

/** Takes all steps of some work. */
function runSteps(steps: Iterator<void>): void {
  while (!steps.next().done);
}

/** Commits random samples, late ones and repeated times too; the first value at a time is kept in `expected`. */
function commitRandom(file: DayFile, random: Random, expected: Map<number, Map<number, number>>): void {
  const pending = new PendingSamples()
  for (let i = 0; i < 60; i += 1) {
    const id = 1 + random.below(5)
    const time = noon + random.below(1500) * 1000
    const value = random.below(1e9) / 7
    const known = expected.get(id) ?? new Map<number, number>()
    expected.set(id, known)
    pending.add(id, given(series({}, [[time, value]])), 0, 1)
    if (!known.has(time)) known.set(time, value)
  }
  file.append(pending.toPart(), noon)
}

function expectSamples(file: DayFile, expected: ReadonlyMap<number, ReadonlyMap<number, number>>): void {
  for (const [id, samples] of expected) {
    const { times, values } = file.samplesOf(id, 0, Infinity)
    const sorted = [...samples].sort(([a], [b]) => a - b)
    expect([...times].map((time, i) => [time, values[i]])).toEqual(sorted)
    const from = noon + 500_000
    const part = sorted.filter(([time]) => time > from && time <= from + 200_000)
    expect([...file.samplesOf(id, from, from + 200_000).times]).toEqual(part.map(([time]) => time))
  }
}

it.each([1, 2, 3, 4])(
  'a file of a day has the same samples before, during and after each compaction (seed %d)',
  seed => {
    const path = join(newFolder(onTestFinished), '2026-11-30.sqlite')
    const random = seeded(seed)
    const expected = new Map<number, Map<number, number>>()
    let file = new DayFile(path)
    for (let round = 0; round < 12; round += 1) {
      for (let i = 0; i < 5; i += 1) commitRandom(file, random, expected)
      expectSamples(file, expected)
      const begun = new Compaction(file)
      if (random.percent(50)) begun.step()
      commitRandom(file, random, expected)
      expectSamples(file, expected)
      if (random.percent(50)) {
        file.close()
        file = new DayFile(path)
      }
      if (random.percent(70)) runSteps(compactWhole(file, () => []))
      expectSamples(file, expected)
    }
    runSteps(compactWhole(file, () => []))
    expect(file.parts).toHaveLength(0)
    expectSamples(file, expected)
    file.deleteSeries([1])
    expect(file.samplesOf(1, 0, Infinity).times).toHaveLength(0)
    expect(file.isEmpty()).toBe(false)
    file.deleteSeries([2, 3, 4, 5])
    expect(file.isEmpty()).toBe(true)
    file.close()
  },
)

it('a file of version 1 keeps its samples, takes more, and is of version 2 then', () => {
  const path = join(newFolder(onTestFinished), '2026-11-30.sqlite')
  const random = seeded(5)
  const expected = new Map<number, Map<number, number>>()
  const written = new DayFile(path)
  commitRandom(written, random, expected)
  runSteps(compactWhole(written, () => []))
  commitRandom(written, random, expected)
  written.close()
  makeOlder(path)
  expect(versionOf(path)).toBe(1)
  const file = new DayFile(path)
  expectSamples(file, expected)
  commitRandom(file, random, expected)
  runSteps(compactWhole(file, () => []))
  expectSamples(file, expected)
  file.close()
  expect(versionOf(path)).toBe(2)
})

/** Gives a file and all of its chunks and parts the form of version 1. */
function makeOlder(path: string): void {
  const database = new DatabaseSync(path)
  database.function('unchecked', bytes => (bytes instanceof Uint8Array ? unchecked(bytes) : null))
  database.exec('UPDATE chunks SET bytes = unchecked(bytes); UPDATE parts SET bytes = unchecked(bytes)')
  database.exec('PRAGMA user_version = 1')
  database.close()
}
