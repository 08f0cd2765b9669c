import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { textFor } from '../../../generator/conform/pattern/text.ts'

const patterns = [
  '^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$',
  '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
  '^([^\\s\\u0000-\\u001f\\u007f-\\u009f@]+@[^\\s\\u0000-\\u001f\\u007f-\\u009f@]+)?$',
  '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  '^([0-9a-f]{32})?$',
  '^sha256:[0-9a-f]{64}$',
  '^\\d+(\\.\\d{1,3})?s$',
  '^(GET|POST|DELETE)$',
  '^(?:[a-z]+\\.)+[a-z]{2,}$',
  '^\\+[1-9]\\d{1,14}$',
  '^(?!ff)[0-9a-f]{2}$',
  '^[\\w.~+/-]+=*$',
  '^(?<year>\\d{4})-(?<month>\\d\\d)$',
  '^\\x41\\u{42}\\t$',
  '^.{3,5}$',
  '^[A-Z][A-Z0-9_]*$',
  '^a{2}b{1,}c{0}$',
  'free',
]

describe('a generated text matches the pattern', () => {
  test.each(patterns)('%s', pattern => {
    expect(textFor(pattern, 1)).toMatch(new RegExp(pattern, 'u'))
  })
})

test('a text has the requested length where the pattern allows it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 63 }), length => {
      const text = textFor('^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$', length) ?? ''
      expect(text).toHaveLength(length)
      expect(text).toMatch(/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/)
    }),
  )
})

test('patterns of groups, counts and choices are followed in any combination', () => {
  const atom = fc.constantFrom('a', '[b-d]', '\\d', '[^x]', '(?:e|fg)', '(h)', '\\.')
  const count = fc.constantFrom('', '?', '+', '*', '{2}', '{1,3}', '{0,2}', '{2,}')
  const part = fc.tuple(atom, count).map(texts => texts.join(''))
  const sequence = fc.array(part, { minLength: 1, maxLength: 4 }).map(parts => parts.join(''))
  const pattern = fc.array(sequence, { minLength: 1, maxLength: 3 }).map(choices => `^(${choices.join('|')})$`)
  fc.assert(
    fc.property(pattern, fc.integer({ min: 0, max: 20 }), (source, length) => {
      expect(textFor(source, length)).toMatch(new RegExp(source, 'u'))
    }),
  )
})

test.each(['^(a)\\1$', '^\\p{L}$', '^(a$', '^[a$', '^a{200000}$', '('.repeat(500) + ')'.repeat(500)])(
  'an unsupported pattern has no text: %s',
  pattern => {
    expect(textFor(pattern, 1)).toBeUndefined()
  },
)
