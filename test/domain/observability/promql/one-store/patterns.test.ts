import { RE2JS } from 're2js'
import { describe, expect, it } from 'vitest'
import { anchoredExpression, anchoredPattern } from '../../../../../domain/observability/promql/anchored-pattern.ts'
import { parseQuery, parseSelector } from '../../../../../domain/observability/promql/language/parse.ts'
import { patternSize } from '../../../../../domain/observability/promql/pattern-size.ts'
import { seeded } from '../../../../areas/random.ts'
import { hostilePatterns } from '../hostile-patterns.ts'

const parts =
  String.raw`a é 😀 . \. [a-c] [^]x] []a(){3}] [[:alpha:](] \pL \p{Greek} \x{41} \x41 ( (?: (?P<n> (?i) (?i: ) ) ) | * + ? {3} {2,5} {0,4} {3,} { \Qa(b\E ^ $ \b {30} [\pN(] [\](] \( ?? \101`.split(
    ' ',
  )

describe('the size of a pattern', () => {
  it('bounds the program that matches it, whatever the pattern is made of', () => {
    const random = seeded(27)
    let compiled = 0
    for (let i = 0; i < 20_000; i += 1) {
      const pattern = Array.from({ length: 1 + random.below(10) }, () => parts[random.below(parts.length)]).join('')
      const size = patternSize(pattern)
      if (size > 2_000) continue
      let program: number
      try {
        program = RE2JS.compile(pattern, RE2JS.DOTALL).programSize()
      } catch {
        continue
      }
      compiled += 1
      expect([pattern, program <= 2 * size + 6]).toEqual([pattern, true])
    }
    expect(compiled).toBeGreaterThan(2_000)
  })

  it.each([
    ['', 0],
    ['abc', 3],
    ['web-[0-9]+:9100', 13],
    ['(a|b){3,10}', 60],
    ['a{1000}', 2000],
    [String.raw`\pL[\pN_]`, 21],
  ])('%j is %i', (pattern, size) => {
    expect(patternSize(pattern)).toBe(size)
  })
})

describe.each(hostilePatterns)('the hostile pattern %#', pattern => {
  it('is refused before it is compiled', () => {
    expect(() => anchoredPattern(pattern)).toThrow(/a pattern may have a size of 1000/)
    expect(() => anchoredExpression(pattern)).toThrow(/a pattern may have a size of 1000/)
    const text = JSON.stringify(pattern)
    const queries = [`up{a=~${text}}`, `up{a="b",c!~${text}}`, `label_replace(up, "a", "$1", "b", ${text})`]
    for (const query of queries)
      expect(() => parseQuery(query)).toThrow(expect.objectContaining({ metadata: { limit: 'pattern' } }))
    expect(() => parseSelector(queries[0] ?? '', 'match')).toThrow(/a pattern may have a size of 1000/)
  })
})

it('the patterns of a query have a limit together', () => {
  const query = (count: number) => Array.from({ length: count }, (_, i) => `up{a=~"${i}${'.'.repeat(980)}"}`).join('+')
  expect(parseQuery(query(5)).type).toBe('vector')
  expect(() => parseQuery(query(6))).toThrow(expect.objectContaining({ metadata: { limit: 'pattern' } }))
})

it.each([
  [String.raw`10\.0\.0\.1:9100|10\.0\.0\.2:9100`, ['10.0.0.1:9100', '10.0.0.2:9100']],
  [String.raw`(a|b\|c)`, ['a', 'b|c']],
  [String.raw`(?:\\|😀\-|)`, ['\\', '😀-', '']],
  [
    Array.from({ length: 3_000 }, (_, i) => `host-${i}`).join('|'),
    Array.from({ length: 3_000 }, (_, i) => `host-${i}`),
  ],
])('%.40s is an alternation of literals of any size', (pattern, only) => {
  const compiled = anchoredPattern(pattern)
  expect(compiled.only).toEqual(only)
  expect(compiled.test(only[0] ?? '')).toBe(true)
  expect(compiled.test('other')).toBe(false)
})

it.each([String.raw`(?:a)|(b)`, String.raw`\d`, '(?i)', 'a|b.', String.raw`\Qa\E`, '(a|b)?'])(
  '%j is no alternation of literals',
  pattern => {
    expect(anchoredPattern(pattern).only).toBeUndefined()
  },
)
