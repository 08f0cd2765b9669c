import type { Random } from '../../../../areas/random.ts'
import { end } from './answers.ts'
import { entryOf, type TestStream } from './memory-entries.ts'
import type { NaiveLogQuery } from './naive-log-queries.ts'
import type { NaiveEntry } from './naive-stage.ts'

const second = 1_000_000_000n

function lineOf(random: Random): string {
  const level = random.oneOf(['info', 'warn', 'error'])
  const [status, latency, size] = [
    random.oneOf(['200', '404', '500', 'ab']),
    random.oneOf(['20ms', '1.5s', '2m', '7']),
    '3KB',
  ]
  switch (random.below(4)) {
    case 0:
      return JSON.stringify({
        level,
        status: Number(status) || status,
        user: { id: random.below(3) },
        tags: ['x'],
        latency,
      })
    case 1:
      return `level=${level} status=${status} latency=${latency} size=${size} app=inner empty=`
    case 2:
      return `${random.oneOf(['GET', 'POST'])} /${random.oneOf(['a', 'orders', ''])} ${status}`
    default:
      return random.oneOf(['error: disk full', 'plain text', '', 'a b'])
  }
}

/** Makes streams of entries in the ten minutes before `end`; some entries have the same time. */
export function randomStreams(random: Random): readonly TestStream[] {
  let number = 0
  const streams = [{ app: 'api', env: 'dev' }, { app: 'api', env: 'prod' }, { app: 'web', env: 'dev' }, { app: 'db' }]
  return streams.map(labels => {
    let time = end - 600n * second
    const entries = Array.from({ length: 20 }, () => {
      number += 1
      if (random.percent(90)) time += BigInt(random.below(30)) * second + BigInt(random.below(2))
      return entryOf(time, number, lineOf(random))
    })
    return { labels, entries }
  })
}

/** Returns the entries that a query lets pass between two times, both included, by running its stages on all entries. */
export function naiveEntries(
  streams: readonly TestStream[],
  { selects, stages }: NaiveLogQuery,
  from: bigint,
  to: bigint,
): readonly NaiveEntry[] {
  const all = streams.flatMap(({ labels: stream, entries }) =>
    entries.map(({ line, number, time }): NaiveEntry => {
      return { time, number, line, stream, labels: new Map(Object.entries(stream)), made: new Set(), error: '' }
    }),
  )
  return all
    .filter(({ stream, time }) => selects(stream) && time >= from && time <= to)
    .filter(entry => stages.every(stage => stage.run(entry)))
}

/** Returns the labels of an entry as JSON, in the order of their names. */
export function naiveLabels({ labels, error }: NaiveEntry): string {
  const pairs = [...labels, ...(error === '' ? [] : [['__error__', error] as const])]
  const seen = pairs.filter(([, value]) => value !== '').sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify(Object.fromEntries(seen))
}
