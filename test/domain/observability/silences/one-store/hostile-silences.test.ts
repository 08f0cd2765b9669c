import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { silencesOf } from '../../../../../domain/observability/silences/matched-alerts.ts'
import { maxSilencePatterns, patternsSize } from '../../../../../domain/observability/silences/silence-matchers.ts'

const operator = 'OBSERVABILITY_MATCH_OPERATOR_REGEX'

/** The largest patterns that a silence may have, each of another kind; `i` makes each text another one. */
const largest = (i: number): readonly string[] => [
  `(?:a?){${70 + (i % 20)}}`,
  `(?:.*a){${50 + (i % 20)}}`,
  `(${'.?'.repeat(240)}a{${i % 9}})`,
  `(?:(?:a{0,9}b?){0,4}){0,${2 + (i % 3)}}`,
  String.raw`(?i)(?:\pL*a){${20 + (i % 12)}}`,
]

/** The longest values of labels, which patterns read to their end. */
const values = [
  `${'a'.repeat(2047)}b`,
  Array.from({ length: 2048 }, (_, i) => 'ab'[((i * i) % 3) & 1]).join(''),
  Array.from({ length: 1024 }, (_, i) => String.fromCharCode(0x400 + ((i * 7919) % 250))).join(''),
]

it('the largest silences let other work run, and are given up after their time', { timeout: 60_000 }, async () => {
  const silences = Array.from({ length: 100 }, (_, i) =>
    largest(i).map((value, kind) => ({ id: `${i}-${kind}`, matchers: [{ name: 'a', value, operator } as const] })),
  ).flat()
  for (const { matchers } of silences) {
    expect(patternsSize(matchers)).toBeLessThanOrEqual(maxSilencePatterns)
    expect(patternsSize(matchers)).toBeGreaterThan(maxSilencePatterns / 5)
  }
  const alerts = Array.from({ length: 1_000 }, (_, i) => ({ a: `${i}${values[i % values.length] ?? ''}` }))
  const compared = Promise.all([1, 2].map(() => silencesOf(silences, alerts, 1_000)))
  const over = new AbortController()
  void compared.finally(() => over.abort())
  const turns: number[] = []
  while (!over.signal.aborted) {
    const { system, user } = process.threadCpuUsage()
    await turn()
    const now = process.threadCpuUsage()
    turns.push((now.system + now.user - system - user) / 1000)
  }
  turns.sort((one, other) => other - one)
  // A slice takes 10 ms, and its last step at most 40 ms more where nothing else runs.
  expect(turns[0]).toBeLessThan(100)
  expect(turns[Math.floor(turns.length / 20)]).toBeLessThan(60)
  // A loaded machine gives the thread little of the time.
  expect(turns.length).toBeGreaterThan(3)
  for (const { isWhole } of await compared) expect(isWhole).toBe(false)
})

it('cheap silences of many alerts are compared with all of them', async () => {
  const silences = Array.from({ length: 100 }, (_, i) => ({
    id: String(i),
    matchers: [
      { name: 'instance', value: `web-${i}[0-9]:9100`, operator } as const,
      { name: 'alertname', value: 'down', operator: 'OBSERVABILITY_MATCH_OPERATOR_EQUAL' } as const,
    ],
  }))
  const alerts = Array.from({ length: 1_000 }, (_, i) => ({
    alertname: i % 2 === 0 ? 'down' : 'up',
    instance: `web-${i}:9100`,
  }))
  const { isWhole, silencedBy } = await silencesOf(silences, alerts)
  expect(isWhole).toBe(true)
  expect(silencedBy).toEqual(alerts.map((_alert, i) => (i % 2 === 0 && i >= 10 ? [String(Math.floor(i / 10))] : [])))
})
