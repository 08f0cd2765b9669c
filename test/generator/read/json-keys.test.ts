import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from '../../../generator/read/parse.ts'

const messagesOf = async (text: string): Promise<readonly string[]> => {
  const parsed = await parse('a.json', text)
  return parsed.kind === 'faults' ? parsed.faults.map(({ message }) => message.code) : []
}

/** Texts with the characters by which a scan of JSON finds names. */
const text = fc.string({
  unit: fc.constantFrom('"', '\\', ':', '{', '}', ',', ' ', '\n', 'a', '__proto__', '$ref', '7'),
})
const members = fc.dictionary(text, fc.jsonValue({ stringUnit: 'binary', depthSize: 'small' }), { minKeys: 1 })

test('JSON of different names is read, whatever characters the names and texts have', async () => {
  await fc.assert(
    fc.asyncProperty(members, text, fc.nat({ max: 3 }), async (given, value, indent) => {
      const json = JSON.stringify({ given, value: [value, { [value]: value }] }, null, indent)
      expect(await messagesOf(json)).toEqual([])
    }),
  )
})

test.each([
  ['{"a"\t\n: ":", "b" : 1}', []],
  ['{"a"\t\n: ":", "a" : 1}', ['syntax']],
  ['{"a" : {"a": 1}, "b" : [{"a": 1}, {"a": 2}]}', []],
])('blanks before a colon change nothing in %j', async (json, messages) => {
  expect(await messagesOf(json)).toEqual(messages)
})

test('a name twice in an object is refused at any depth, however the name is escaped', async () => {
  await fc.assert(
    fc.asyncProperty(members, fc.nat(), fc.boolean(), fc.nat({ max: 3 }), async (given, index, isEscaped, depth) => {
      const names = Object.keys(given)
      const name = names[index % names.length] ?? ''
      const written = isEscaped ? `"${[...name].map(escaped).join('')}"` : JSON.stringify(name)
      const twice = `${JSON.stringify(given).slice(0, -1)}, ${written} : null}`
      const json = `{"in": ${'['.repeat(depth)}${twice}${']'.repeat(depth)}}`
      expect(await messagesOf(json)).toContain('syntax')
    }),
  )
})

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('')
