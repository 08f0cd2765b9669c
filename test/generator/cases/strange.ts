/** The messages about each document of `test/cases/strange`, as `line code`, in order, without notes. */
export const reported: Readonly<Record<string, readonly string[]>> = {
  forms: ['15 content-unchecked', '28 encoding-keyword', '28 encoding-keyword', '29 not-honoured'],
  'media-types': ['14 media-type-not-text', '50 media-type-not-text', '50 not-honoured', '50 not-honoured'],
  'names-of-javascript': ['21 not-honoured', '33 not-honoured'],
  'newer-types': ['10 parameter-shape'],
  'newer-parts': [
    '11 beside-reference',
    '14 beside-reference',
    '15 beside-reference',
    '16 not-honoured',
    '17 not-honoured',
    '21 not-honoured',
    '37 branches-overlap',
  ],
  parameters: ['23 parameter-members'],
  'read-and-write-only': ['33 branches-overlap', '37 discriminator-inline'],
  'schemas-without-values': [
    '7 parameter-shape',
    '7 parameter-shape',
    '21 type-missing',
    '22 type-missing',
    '24 enum-empty',
    '29 type-empty',
    '31 type-missing',
    '32 type-missing',
  ],
}

/** A call of an operation through client and server; `arrives` is the request of the handler if it differs. */
export interface StrangeCall {
  readonly file: string
  readonly operation: string
  readonly request: object
  readonly arrives?: object
}

const post = (file: string, operation: string, body: unknown, arrives = body): StrangeCall => ({
  file,
  operation,
  request: { body },
  arrives: { body: arrives },
})

const read = (request: object): StrangeCall => {
  const usual = { id: 'a', f: 'x', c: 'b', e: ['x'], ...request }
  return { file: 'parameters', operation: 'g', request: usual }
}

const newer = (body: object): StrangeCall => post('newer-types', 'p', body)
const nullable = (body: object): StrangeCall =>
  post('nullable-enums', 'p', body, { title: "it's", deep: { a: { b: [1] } }, ...body })
const inPath = (operation: string, request: object): StrangeCall => ({ file: 'unusual-paths', operation, request })

/** Values that arrive as they are, or without what only servers set and with defaults. */
export const calls: readonly StrangeCall[] = [
  post('recursive-schemas', 'postNode', {
    id: 'a',
    next: null,
    children: [{ id: 'b', map: { x: { id: 'c' } } }],
    json: [1, { a: [null, true] }],
    tree: [[], [[]]],
    expr: { op: 'add', a: { op: 'lit', v: 1 }, b: { op: 'num' } },
  }),
  post('discriminator-of-files', 'p', { kind: 'cat', lives: 9 }),
  post('discriminator-of-files', 'p', { kind: 'dog', bark: false }),
  nullable({ e: null, only: null, emptyS: [1], anyobj: { a: 1 }, arr: [null], num: 2.5, mixed: null, bool: true }),
  nullable({ e: 'a', mixed: 1, dbl: 0.1, deep: {} }),
  newer({ t: 1, n: null, tl: 'ab', obj: [1], c: null, cc: { a: [1, 2] }, e: [1], p: ['a', 1], arrn: [null, 'x'] }),
  newer({ tl: 3, obj: { a: 'x' }, e: { a: 1 }, pp: { 'x-a': 'b' }, r: { a: 'x' }, ex: 1, nn: null, arrn: null }),
  { file: 'newer-types', operation: 'p', request: { a: 'x', t: 1, u: 'x', k: 'fixed', dd: { x: 1, y: [2] } } },
  { file: 'newer-types', operation: 'p', request: { t: null }, arrives: {} },
  { file: 'schemas-without-values', operation: 'p', request: { body: { d: 'x', b: [], a: [], o: [], h: 1 } } },
  ...[
    { contentType: 'application/json', body: { a: 1 } },
    { contentType: 'text/plain', body: '' },
    { contentType: 'application/x-www-form-urlencoded', body: { a: 1 } },
    { contentType: 'multipart/form-data', body: { a: 1 } },
  ].map(body => post('statuses', 'multi', body)),
  {
    file: 'names-of-javascript',
    operation: 'delete',
    request: {
      class: 'a',
      new: 'b',
      function: 'c',
      request: 'd',
      context: 'e',
      query_body: 'f',
      query_constructor: 'g',
      query_toString: 1,
      query___proto__: 2,
      query_hasOwnProperty: 3,
    },
  },
  ...['constructorOperation', 'thenOperation', 'import', 'transport', 'private', '日本語'].map(operation => ({
    file: 'names-of-javascript',
    operation,
    request: {},
  })),
  inPath('a1', { x: 'a.b' }),
  inPath('a1', { x: 'a/b?c#d%' }),
  inPath('a2', { x: 'a:b' }),
  inPath('a3', { x: 1, y: 2 }),
  inPath('a4', { 'path-with.dots': 'x', 'y~z': ['a', 'b,c'] }),
  inPath('odata', { a: 'Q', c: "it's" }),
  inPath('ts', { id: '6f1c1c50-6f8a-4f3c-9c8e-111111111111' }),
  ...['root', 'up', 'frag', 'qm'].map(operation => inPath(operation, {})),
  read({ query_id: 'b', header_id: 'c', cookie_id: 'd', page: '1', f: '' }),
  ...[{ a: { x: 1, y: 2 } }, { b: { x: 1, y: 2 } }, { c: 'a' }, { d: ['a', 'b'] }, { e: ['x', 'y'] }].map(read),
  ...[{ g: true }, { g: 5 }, { i: 'now' }, { j: { 's t': 'é' } }, { k: ['a', 'b'] }, { 'l[]': ['a', 'b'] }].map(read),
  ...[{ 'm[a]': 'x' }, { 'n.o': 1.5 }, { $p: 1 }, { 'q r': 1 }, { é: 2 }, { 'a&b=c': 1 }].map(read),
  post(
    'read-and-write-only',
    'a',
    {
      kind: 'k',
      pw: 'p',
      id: 'no',
      extra: 3,
      sub: { kind: 's', pw: 'q', extra: 5 },
      list: [{ kind: 'k', pw: 'p', id: 'x' }],
    },
    { kind: 'k', pw: 'p', name: 'n', sub: { kind: 's', pw: 'q', name: 'n' }, list: [{ kind: 'k', pw: 'p' }] },
  ),
  post('read-and-write-only', 'b', [{ kind: 'k', pw: 'p', id: 'no' }], [{ kind: 'k', pw: 'p', name: 'n' }]),
  post('forms', 'f', {
    file: 'eA==',
    meta: { a: 1 },
    tags: ['a', 'b'],
    objs: [{ a: 1 }],
    n: 3,
    u: 'x',
    nested: [[1], [2]],
    d: '2020-01-01T00:00:00Z',
    e: 1,
    other: 'free',
  }),
  ...[true, 'a'].map(e => post('forms', 'f', { file: 'eA==', meta: {}, e })),
  post('forms', 'g', {
    a: ['x', 'y'],
    b: ['x', 'y'],
    c: { x: 1 },
    d: { x: 2 },
    e: '',
    j: { x: { y: 1 } },
    more: 4,
  }),
  post('forms', 'g', { n: null }, {}),
  ...[null, 'x', ''].map(body => post('media-types', 'pjstr', body)),
  post('media-types', 'noschema', { contentType: 'application/json', body: null }),
  post('media-types', 'xml', '<a/>'),
  { file: 'newer-parts', operation: 'a', request: {} },
  {
    file: 'newer-parts',
    operation: 'b',
    request: { p: 'x', s: 3, t: 'y', body: { k: 'A', n: [[], null], tup: ['a', 1] } },
  },
  post('newer-parts', 'b', { k: 'B', u: { a: 1 } }),
  post('newer-parts', 'b', null),
  post('media-types', 'cs', {}),
]

/** An answer of a handler, which reaches the caller as it is. */
export interface StrangeAnswer {
  readonly file: string
  readonly operation: string
  readonly answer: unknown
  readonly request?: object
}

const status = (operation: string, answer: object): StrangeAnswer => ({ file: 'statuses', operation, answer })
const media = (operation: string, answer: unknown): StrangeAnswer => ({ file: 'media-types', operation, answer })

export const answers: readonly StrangeAnswer[] = [
  ...[null, { a: 'x' }].map(answer => ({ file: 'nullable-enums', operation: 'p', answer, request: { body: {} } })),
  status('multi', { status: 200, body: { contentType: 'text/plain', body: 'x' } }),
  status('multi', { status: 200, body: { contentType: 'application/json', body: {} } }),
  ...[{ status: 204 }, { status: 304 }, { status: 207, body: [1] }].map(answer => status('multi', answer)),
  status('redir', { status: 302, headers: { Location: 'http://x.test/a' } }),
  status('redir', { status: 301 }),
  status('onlydefault', { status: 200, body: '<p>' }),
  ...[{ status: 204 }, { status: 304 }].map(answer => status('nocontent', answer)),
  status('range', { status: 299, body: 'x' }),
  status('acc', { status: 202, body: { id: 'x' } }),
  { file: 'names-of-javascript', operation: 'delete', answer: { function: 'x', class: { 'a-b': 'c', '': 'd' } } },
  { file: 'read-and-write-only', operation: 'a', request: { body: { kind: 'k', pw: 'p' } }, answer: { id: '1', kind: 'k', name: 'x', extra: 1 } },
  media('txt', '5'),
  ...[null, 'x'].map(answer => media('jstr', answer)),
  media('empty', undefined),
  ...[{ a: [1] }, null].map(answer => media('noschema', answer)),
  media('xml', '<b/>'),
] // prettier-ignore

/** Requests that the check of the server refuses, with the field of the fault. */
export const refusals: readonly (readonly [file: string, operation: string, body: object, field: string])[] = [
  ['discriminator-of-files', 'p', { kind: 'cow' }, 'kind'],
  ['newer-parts', 'b', { k: 'C' }, 'k'],
  ['newer-parts', 'b', { k: 'B', other: 1 }, 'other'],
  ['nullable-enums', 'p', { mixed: 'b' }, 'mixed'],
  ['nullable-enums', 'p', { dbl: 0 }, 'dbl'],
  ...(
    [
      [{ f: 1 }, 'f'],
      [{ n: 1 }, 'n'],
      [{ tl: 'a' }, 'tl'],
      [{ tl: 2 }, 'tl'],
      [{ obj: ['a'] }, 'obj'],
      [{ c: 1 }, 'c'],
      [{ cc: { a: [1] } }, 'cc'],
      [{ e: 2 }, 'e'],
      [{ p: ['a', 1, 2] }, 'p'],
      [{ pp: { y: 'a' } }, 'pp.y'],
      [{ r: {} }, 'r'],
      [{ dr: { a: 'x' } }, 'dr.b'],
      [{ ex: 0 }, 'ex'],
      [{ arrn: [1] }, 'arrn[0]'],
    ] as const
  ).map(([body, field]) => ['newer-types', 'p', body, field] as const),
  ...(
    [
      [{ a: [1] }, 'a[0]'],
      [{ b: [1] }, 'b[0]'],
      [{ c: { x: 1 } }, 'c.x'],
      [{ d: 1 }, 'd'],
      [{ e: 1 }, 'e'],
      [{ f: 1 }, 'f'],
      [{ g: { ax: 1 } }, 'g.ax'],
      [{ h: [1] }, 'h'],
      [{ i: { x: 1 } }, 'i.x'],
      [{ k: 1 }, 'k'],
      [{ j: 1 }, 'j'],
      [{ m: [1] }, 'm[0]'],
      [{ n: 1 }, 'n'],
      [{ o: [1] }, 'o[0]'],
      [{ p: 1 }, 'p'],
      [{ s: { x: 1 } }, 's.x'],
    ] as const
  ).map(([body, field]) => ['schemas-without-values', 'p', body, field] as const),
] // prettier-ignore
