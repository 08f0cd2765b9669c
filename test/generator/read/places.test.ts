import fc from 'fast-check'
import { expect, test } from 'vitest'
import { into } from '../../../generator/read/pointer.ts'
import { positionsOf } from '../../../generator/read/places.ts'

const yaml = `# first line
a: &x
  b: {c: 1, 'd/e': [1, {f: 2}]}
list:
  - g: 1
  -
    h: 2
200: y
alias: *x
"~q": z
`

test.each([
  ['', 2, 1],
  ['/a', 2, 1],
  ['/a/b', 3, 3],
  ['/a/b/c', 3, 7],
  ['/a/b/d~1e', 3, 13],
  ['/a/b/d~1e/1', 3, 24],
  ['/a/b/d~1e/1/f', 3, 25],
  ['/list/0', 5, 5],
  ['/list/0/g', 5, 5],
  ['/list/1/h', 7, 5],
  ['/200', 8, 1],
  ['/alias/b', 9, 1],
  ['/~0q', 10, 1],
  ['/a/none/deeper', 2, 1],
  ['/list/9', 4, 1],
  ['not a pointer', 2, 1],
])('%s stands in line %i, column %i', async (pointer, line, column) => {
  const position = (await positionsOf('a.yaml', yaml))(pointer)
  expect([position.file, position.line, position.column]).toEqual(['a.yaml', line, column])
})

test('JSON has the same places as YAML', async () => {
  const paths = (value: unknown, path: string): readonly string[] =>
    typeof value === 'object' && value !== null
      ? [path, ...Object.entries(value).flatMap(([name, inner]) => paths(inner, into(path, name)))]
      : [path]
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ depthSize: 'small' }), fc.nat({ max: 3 }), async (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      const [ofJson, ofYaml] = [await positionsOf('a.json', text), await positionsOf('a.yaml', text)]
      for (const pointer of [...paths(value, ''), '/none', '/0/none']) {
        const { line, column } = ofJson(pointer)
        expect({ pointer, line, column }).toEqual({
          pointer,
          line: ofYaml(pointer).line,
          column: ofYaml(pointer).column,
        })
      }
    }),
  )
})

test('JSON has places too', async () => {
  const position = (await positionsOf('a.json', '{\n  "a": {"b": [10,\n    20]}\n}\n'))('/a/b/1')
  expect([position.line, position.column]).toEqual([3, 5])
})

test('a deeply nested text has places', async () => {
  const position = (await positionsOf('a.json', `${'['.repeat(2_000)}${']'.repeat(2_000)}`))('/0/0')
  expect([position.line, position.column]).toEqual([1, 3])
})
