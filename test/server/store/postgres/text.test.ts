import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareText } from '../../../../runtime/filter/fields.ts'
import { numbered } from '../../../../server/store/postgres/placeholders.ts'
import { escapeJson, escapeText, unescapeText } from '../../../../server/store/postgres/text.ts'

const texts = fc.string({
  unit: fc.constantFrom('\0', '\u0001', '\u0002', '\u0003', '\u0004', 'a', '\\', '"', '\u{1f600}'),
})

describe('the text that PostgreSQL keeps', () => {
  it('contains no U+0000, and is read as the original text', () => {
    fc.assert(
      fc.property(texts, text => {
        expect(escapeText(text)).not.toContain('\0')
        expect(unescapeText(escapeText(text))).toBe(text)
      }),
    )
  })

  it('sorts like the original text', () => {
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        expect(compareText(escapeText(a), escapeText(b))).toBe(compareText(a, b))
      }),
    )
  })

  it('contains exactly the substrings of the original text', () => {
    fc.assert(
      fc.property(texts, texts, (text, part) => {
        expect(escapeText(text).includes(escapeText(part))).toBe(text.includes(part))
      }),
      { numRuns: 2000 },
    )
  })

  it('is the same inside JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(texts, texts), value => {
        const expected = Object.entries(value).map(([key, text]) => [escapeText(key), escapeText(text)])
        expect(Object.entries(JSON.parse(escapeJson(JSON.stringify(value))))).toEqual(expected)
      }),
    )
  })
})

it.each([
  ['a = ? AND b = ?', 'a = $1 AND b = $2'],
  [`"a?""?" = ? AND 'b?''?' <> ?`, `"a?""?" = $1 AND 'b?''?' <> $2`],
  ['SELECT 1', 'SELECT 1'],
])('%s has numbered parameters', (sql, expected) => {
  expect(numbered(sql)).toBe(expected)
})
