import { expect, test } from 'vitest'
import { codesOf, document, read } from '../reading.ts'

const ok = "responses: {'204': {description: ok}}"
const paths = (rows: Readonly<Record<string, readonly string[]>>): string =>
  `paths:\n${Object.entries(rows)
    .map(([path, methods]) => {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
      const parameters = names.map(name => `{name: ${name}, in: path, required: true, schema: {type: string}}`)
      return `  ${path}: {${[`parameters: [${parameters.join(', ')}]`, ...methods.map(method => `${method}: {${ok}}`)].join(', ')}}\n`
    })
    .join('')}`

test.each<[rows: Readonly<Record<string, readonly string[]>>, lines: readonly string[]]>([
  [{ '/a/me': ['get'], '/a/{id}': ['delete'] }, ['4 path-fallback']],
  [{ '/a/{id}': ['delete'], '/a/me': ['get'] }, ['5 path-fallback']],
  [{ '/a/me': ['get', 'delete'], '/a/{id}': ['delete'] }, []],
  [
    { '/a/me/b': ['get'], '/{x}/{y}/b': ['put'], '/a/{y}/b': ['post'] },
    ['4 path-fallback', '4 path-fallback', '6 path-fallback'],
  ],
  [{ '/a/me/': ['get'], '/a/{id}': ['delete'] }, []],
  [{ '/a/{id}:cancel': ['post'], '/a/{id}': ['get'] }, []],
  [{ '/a/b': ['get'], '/a/{id}.json': ['post'] }, []],
  [{ '/a b': ['get'], '/{x}': ['post'] }, ['4 path-fallback']],
])('%j: a literal path that fits a template with other methods is noted: %j', async (rows, lines) => {
  const { diagnostics } = await read({ 'a.yaml': document(paths(rows)) })
  expect(codesOf(diagnostics).filter(line => line.includes('path-'))).toEqual(lines)
})

test('the note names the methods and the template', async () => {
  const { diagnostics } = await read({
    'a.yaml': document(paths({ '/a/me': ['get'], '/a/{id}': ['put', 'get', 'delete'] })),
  })
  expect(diagnostics.filter(line => line.includes('path-'))).toEqual([
    'a.yaml:4:3 note path-fallback: this path fits "/a/{id}" too, which takes its PUT and DELETE requests',
  ])
})
