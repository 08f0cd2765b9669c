import { expect, test } from 'vitest'
import { requestOf } from '../../../generator/conform/draft.ts'
import type { Content, Json, Operation, Parameter } from '../../../generator/model/types.ts'

const position = { file: 'a.yaml', line: 1, column: 1 }

const parameter = (name: string, more: Partial<Parameter>): Parameter => ({
  name,
  member: name,
  in: 'query',
  required: false,
  style: 'form',
  explode: true,
  description: undefined,
  deprecated: false,
  schema: { kind: 'any', position },
  position,
  ...more,
})

const content: Content = { type: 'application/json', kind: 'json', schema: { kind: 'any', position } }
const operation: Operation = {
  id: 'op',
  name: 'op',
  routeName: 'op',
  requestName: 'OpRequest',
  parsedRequestName: 'ParsedOpRequest',
  method: 'POST',
  path: '/a/{id}:run',
  pathParts: ['/a/', 'id', ':run'],
  server: undefined,
  summary: undefined,
  description: undefined,
  deprecated: false,
  parameters: [],
  body: { required: true, description: undefined, content, contents: [content], isTagged: false, isPatch: false, view: 'input' },
  successes: [],
  failures: [],
  answer: 'empty',
  access: undefined,
  queryKeys: [],
  raises: undefined,
  mode: undefined,
  list: undefined,
  returnsOperation: false,
  position,
} // prettier-ignore

const query: readonly (readonly [value: Json, more: Partial<Parameter>, text: string])[] = [
  ['a b&c', {}, 'q=a%20b%26c'],
  [7, {}, 'q=7'],
  [false, {}, 'q=false'],
  [['a', 'b,c'], {}, 'q=a&q=b%2Cc'],
  [['a', 'b,c'], { explode: false }, 'q=a,b%2Cc'],
  [['a', 'b'], { explode: false, style: 'pipeDelimited' }, 'q=a|b'],
  [['a', 'b'], { explode: false, style: 'spaceDelimited' }, 'q=a%20b'],
  [{ r: 1, g: 2 }, {}, 'r=1&g=2'],
  [{ r: 1, g: 2 }, { explode: false }, 'q=r,1,g,2'],
  [{ r: 1, g: 2 }, { style: 'deepObject' }, 'q%5Br%5D=1&q%5Bg%5D=2'],
  [{ r: [1] }, { style: 'json' }, 'q=%7B%22r%22%3A%5B1%5D%7D'],
]

test.each(query)('the query parameter %j with %j', (value, more, text) => {
  const parameters = new Map<Parameter, Json>([[parameter('q', more), value]])
  expect(requestOf({ operation, parameters }).target).toBe(`/a/id:run?${text}`)
})

test('parameters are in path, header and cookie, and the body is JSON', () => {
  const parameters = new Map<Parameter, Json>([
    [parameter('id', { in: 'path', style: 'simple', explode: false }), 'a/b:c'],
    [parameter('X-List', { in: 'header', style: 'simple', explode: false }), ['a', 'b']],
    [parameter('session', { in: 'cookie' }), 's;1'],
  ])
  expect(requestOf({ operation, parameters, body: { a: 1 }, authorization: 'Bearer t' })).toEqual({
    method: 'POST',
    target: '/a/a%2Fb%3Ac:run',
    headers: {
      'x-list': 'a,b',
      cookie: 'session=s%3B1',
      authorization: 'Bearer t',
      'content-type': 'application/json',
    },
    body: '{"a":1}',
  })
})
