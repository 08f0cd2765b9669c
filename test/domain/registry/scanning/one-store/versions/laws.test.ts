import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { versionOrder } from '../../../../../../domain/registry/scanning/versions/version-orders.ts'
import type { VersionOrder } from '../../../../../../domain/registry/scanning/versions/version-order.ts'
import { threadCpuMs } from '../../../../../cpu-time.ts'
import { forms, type VersionForm } from './version-forms.ts'

/** Maven without qualifiers before a dot, because its own order has circles there. */
const straightMaven = [
  forms.maven[0],
  ['', '.0', '.1', '.2'],
  ['', '.1', '.10'],
  ['', '-1', '-alpha', '-rc2', '-sp', 'x'],
]

const judged: readonly (readonly [string, VersionForm])[] = [
  ['Alpine', [...forms.apk, ['', '~0af', '_git', '!', '-r0']]],
  ['Debian', forms.dpkg],
  ['npm', forms.semver],
  ['Go', forms.semver],
  ['PyPI', [...forms.pypi, ['', '', 'x', '-final']]],
  ['RubyGems', forms.rubygems],
  ['Maven', straightMaven],
]

/** The sum of the signs of both directions, which is 0 for an order. */
const signs = (order: VersionOrder, a: string, b: string): number => Math.sign(order(a, b)) + Math.sign(order(b, a))

const textOf = (form: VersionForm) =>
  fc.tuple(...form.map(choices => fc.constantFrom(...choices))).map(parts => parts.join(''))

const orderOf = (ecosystem: string): VersionOrder => {
  const order = versionOrder(ecosystem)
  if (order === undefined) throw new Error(`there is no order of ${ecosystem}`)
  return order
}

describe.each(judged)('the order of %s', (ecosystem, form) => {
  const order = orderOf(ecosystem)
  const versions = textOf(form)

  it('is the reverse of itself for swapped versions, and the same for a version and itself', () => {
    const texts = fc.oneof(versions, fc.string())
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        expect(order(a, a)).toBe(0)
        expect(signs(order, a, b)).toBe(0)
      }),
      { numRuns: 2000 },
    )
  })

  it('is transitive', () => {
    const texts = ecosystem === 'Maven' ? versions : fc.oneof({ weight: 3, arbitrary: versions }, fc.string())
    fc.assert(
      fc.property(texts, texts, texts, (a, b, c) => {
        if (order(a, b) <= 0 && order(b, c) <= 0) expect(order(a, c)).toBeLessThanOrEqual(0)
        if (order(a, b) === 0) expect(Math.sign(order(a, c))).toBe(Math.sign(order(b, c)))
      }),
      { numRuns: 5000 },
    )
  })
})

describe('every order', () => {
  const hostile = [
    '1',
    '0',
    'a',
    '.',
    '-',
    '~',
    '_',
    '+',
    ':',
    '1.',
    '1-',
    'a1',
    '1a',
    '0.',
    '_p',
    '-r',
    '.a',
    '-a',
    '+a',
    '\u0661',
    '\u{1f600}',
  ]

  it.each(hostile)('compares 100,000 characters of %s in linear time', unit => {
    const text = unit.repeat(100_000 / unit.length)
    const before = threadCpuMs()
    for (const [ecosystem] of judged) {
      const order = orderOf(ecosystem)
      expect(order(text, text)).toBe(0)
      expect(signs(order, text, `${text}!`)).toBe(0)
      expect(signs(order, `1${text}`, `1${text}2`)).toBe(0)
    }
    // A quadratic comparison of these would take minutes.
    expect(threadCpuMs() - before).toBeLessThan(20_000)
  })

  it('is there for each release of a distribution, and not for an unknown ecosystem', () => {
    expect(versionOrder('Debian:12')).toBe(versionOrder('Debian'))
    expect(versionOrder('Alpine:v3.20')).toBe(versionOrder('Alpine'))
    expect(versionOrder('Unheard')).toBeUndefined()
  })
})
