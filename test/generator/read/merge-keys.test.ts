import { describe, expect, test } from 'vitest'
import { mergeKeys } from '../../../generator/read/merge-keys.ts'
import { parse } from '../../../generator/read/parse.ts'

describe('a merge key', () => {
  test.each([
    ['a mapping', { a: 1, '<<': { b: 2 } }, { a: 1, b: 2 }],
    ['a mapping with a member of the same name', { a: 1, '<<': { a: 2 } }, { a: 1 }],
    ['a list, whose first mapping counts', { '<<': [{ a: 1 }, { a: 2, b: 3 }] }, { a: 1, b: 3 }],
    ['a mapping with a merge key', { '<<': { a: 1, '<<': { b: 2 } } }, { a: 1, b: 2 }],
    ['a mapping in a list', [{ '<<': { a: 1 } }], [{ a: 1 }]],
    ['a text, which stays a member', { '<<': 'text' }, { '<<': 'text' }],
    ['a list with a text, which stays a member', { '<<': [{ a: 1 }, 'b'] }, { '<<': [{ a: 1 }, 'b'] }],
  ])('merges %s', (_, value, merged) => {
    expect(mergeKeys(value, 100)).toBe(true)
    expect(value).toEqual(merged)
  })

  test('merges __proto__ as an ordinary member', () => {
    const value = { '<<': JSON.parse('{"__proto__":{"a":1}}') }
    expect(mergeKeys(value, 100)).toBe(true)
    expect(Object.keys(value)).toEqual(['__proto__'])
    expect(value).not.toHaveProperty('a')
  })

  test('ends in a mapping that merges itself', () => {
    const value: Record<string, unknown> = { a: 1 }
    value['<<'] = value
    value['inner'] = [value]
    expect(mergeKeys(value, 100)).toBe(true)
    expect(Object.keys(value)).toEqual(['a', 'inner'])
  })

  test('of a document that would exhaust the memory is refused', async () => {
    const lines = Array.from({ length: 3000 }, (_, i) => `a${i}: &a${i} {${i > 0 ? `<<: *a${i - 1}, ` : ''}b${i}: 1}`)
    expect(await parse('a.yaml', lines.join('\n'))).toMatchObject({ kind: 'faults' })
    expect(await parse('a.yaml', lines.slice(0, 100).join('\n'))).toMatchObject({ kind: 'data' })
  })

  test('of JSON is an ordinary member', async () => {
    expect(await parse('a.json', '{"<<":{"a":1}}')).toEqual({ kind: 'data', root: { '<<': { a: 1 } } })
  })
})
