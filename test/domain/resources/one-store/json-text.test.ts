import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonText, withMembers } from '../../../../domain/resources/json-text.ts'

const members = (prefix: string) =>
  fc.dictionary(
    fc.string().map(name => prefix + name),
    fc.jsonValue(),
    { maxKeys: 3 },
  )

test('members are added to a text as to its parsed value', () => {
  fc.assert(
    fc.property(members('a'), members('b'), (kept, more) => {
      const both = JSON.stringify({ ...kept, ...more })
      expect(withMembers(jsonText(kept), more).text).toBe(both)
      expect(withMembers(jsonText(kept), jsonText(more)).text).toBe(both)
    }),
  )
})
