import fc from 'fast-check'
import { expect, it } from 'vitest'
import { jsonFault } from '../../text/json-fault.ts'

it.each([
  ['{bad', "expected property name or '}' at line 1, column 2"],
  ['{"a":1,}', 'expected double-quoted property name at line 1, column 8'],
  ['{\n  "a": hunter2\n}', 'unexpected character at line 2, column 8'],
  ['[truf]', 'unexpected character at line 1, column 5'],
  ['{"a": \'b\'}', 'unexpected character at line 1, column 7'],
  ['{} x', 'unexpected non-whitespace character after JSON at line 1, column 4'],
  ['{"a":', 'it ends too early at line 1, column 6'],
  ['', 'it ends too early at line 1, column 1'],
  ['"abc', 'unterminated string at line 1, column 5'],
  ['{"a": 1}', undefined],
])('%j: %s', (text, fault) => {
  expect(jsonFault(text)).toBe(fault)
})

it('points at the first character that no JSON text can continue with, whatever surrounds it', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom('s', '§', '#', "'"), fc.json(), (before, wrong, behind) => {
      const text = `[${before}, ${wrong}secret, ${behind}]`
      const lines = text.slice(0, before.length + 3).split('\n')
      expect(jsonFault(text)).toBe(
        `unexpected character at line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`,
      )
    }),
  )
})
