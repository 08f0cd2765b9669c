import { describe, expect, test } from 'vitest'
import type { HttpAnswer, RequestSender, Request } from '../../../generator/conform/call.ts'
import { isObject } from '../../../generator/conform/json.ts'
import { printConformance, type Proof, type ConformanceReport } from '../../../generator/conform/report.ts'
import { walkForeignNotes, walkNotes } from './notes.ts'
import { notesRules, notesServer } from './notes-server.ts'

/** Returns each finding as `operationId proof: fault`. */
const said = ({ findings }: ConformanceReport): string[] =>
  findings.map(({ operationId, proof, what }) => `${operationId} ${proof}: ${what}`)

test('a server that keeps its document has no finding', async () => {
  const report = await walkNotes(notesServer())
  expect(printConformance(report)).toBe(`0 findings, 4 operations, ${requestsOf(report)} requests`)
})

const requestsOf = ({ walked }: ConformanceReport): number =>
  walked.reduce((total, { requests }) => total + requests, 0)

describe('an unenforced rule is found', () => {
  test.each(notesRules)('%s', async rule => {
    const { findings } = await walkNotes(notesServer({ without: rule }))
    const [subject = ''] = rule.split(':')
    const field = subject.replace(/^path |^body$|^query$|^update$|\[\]$/g, '')
    expect(findings.length).toBeGreaterThan(0)
    expect(findings.filter(({ proof }) => proof === 'refused').map(({ what }) => what)).toContainEqual(
      expect.stringContaining(field),
    )
  })
})

type Change = (answer: HttpAnswer, request: Request) => HttpAnswer

/** Returns a change of the JSON body of responses with this status. */
const inBody =
  (status: number, change: (value: Readonly<Record<string, unknown>>) => unknown): Change =>
  answer => {
    const value: unknown = answer.status === status && answer.body !== '' ? JSON.parse(answer.body) : undefined
    return isObject(value) ? { ...answer, body: JSON.stringify(change(value)) } : answer
  }

const inErrors =
  (from: string, to: string): Change =>
  answer =>
    answer.status >= 400 ? { ...answer, body: answer.body.replaceAll(from, to) } : answer

const withHeader =
  (name: string, value: string | undefined): Change =>
  answer => ({ ...answer, headers: { ...answer.headers, [name]: value } })

const asStatus =
  (from: number, to: number): Change =>
  answer =>
    answer.status === from ? { ...answer, status: to } : answer

const changes: readonly (readonly [fault: string, change: Change, proof: Proof, what: string])[] = [
  [
    'a route that is missing',
    (answer, { method }) => (method === 'POST' ? { ...answer, status: 404 } : answer),
    'routed',
    'a valid request',
  ],
  ['a handler that breaks', asStatus(200, 500), 'routed', 'a valid request'],
  ['a valid request that is refused', asStatus(200, 403), 'routed', 'a valid request'],
  ['a broken request that breaks the server', asStatus(400, 500), 'refused', 'title: missing'],
  ['a wrong field in a violation', inErrors('"title"', '"name"'), 'refused', 'title: missing'],
  [
    'a second field in a violation',
    inErrors('[{"field":"title"', '[{"field":"stars"},{"field":"title"'),
    'refused',
    'title: missing',
  ],
  ['a wrong reason', inErrors('FIELD_INVALID', 'FILTER_INVALID'), 'refused', 'title: missing'],
  ['a door that stands open', asStatus(401, 200), 'door', 'no token'],
  ['any token that opens the door', inErrors('TOKEN_INVALID', 'TOKEN_MISSING'), 'door', 'a made-up token'],
  ['a 401 that does not say how', withHeader('www-authenticate', undefined), 'door', 'no token'],
  ['a public operation behind the door', asStatus(404, 401), 'door', 'no token'],
  ['a missing member', inBody(200, ({ title: _title, ...rest }) => rest), 'answer', 'body of 200 at title'],
  ['a member that is not declared', inBody(200, value => ({ ...value, extra: 1 })), 'answer', 'body of 200 at extra'],
  [
    'an input-only member that is answered',
    inBody(200, value => ({ ...value, secret: 'x' })),
    'answer',
    'body of 200 at secret',
  ],
  ['a member of the wrong type', inBody(200, value => ({ ...value, stars: '3' })), 'answer', 'body of 200 at stars'],
  ['a value outside its bounds', inBody(200, value => ({ ...value, stars: 6 })), 'answer', 'body of 200 at stars'],
  [
    'a value that stands for none',
    inBody(200, value => ({ ...value, color: 'COLOR_NONE' })),
    'answer',
    'body of 200 at color',
  ],
  [
    'a time without milliseconds',
    inBody(200, value => ({ ...value, time: '2026-01-15T09:30:00Z' })),
    'answer',
    'body of 200 at time',
  ],
  [
    'a response that is not JSON',
    answer => ({ ...answer, body: answer.status === 200 ? '<html>' : answer.body }),
    'answer',
    'body of 200',
  ],
  [
    'an answer that is too deep',
    answer => ({ ...answer, body: answer.status === 200 ? '['.repeat(5e4) + ']'.repeat(5e4) : answer.body }),
    'answer',
    'body of 200',
  ],
  ['another content type', withHeader('content-type', 'text/html'), 'answer', 'content type of 200'],
  ['a status that is not declared', asStatus(200, 201), 'answer', 'status 201'],
  ['an answer without a request id', withHeader('x-request-id', undefined), 'answer', 'header x-request-id'],
  ['a traceparent of another form', withHeader('traceparent', '00'), 'answer', 'header traceparent'],
  ['an error that is not a Status', asText(400), 'answer', 'error'],
  ['an error with a code of another one', inErrors('1000010', '1000011'), 'answer', 'error FIELD_INVALID'],
  ['an error of another domain', inErrors('"notes"', '"books"'), 'answer', 'error FIELD_INVALID'],
  ['an error with another rpc code', inErrors('"code":3', '"code":9'), 'answer', 'error FIELD_INVALID'],
  ['a reason that is not declared', inErrors('NOTE_NOT_FOUND', 'BOOK_NOT_FOUND'), 'answer', 'error BOOK_NOT_FOUND'],
  ['a reason with the status of another one', asStatus(404, 409), 'answer', 'error NOTE_NOT_FOUND'],
  [
    'a page that is too long',
    inBody(200, value =>
      Array.isArray(value['notes']) ? { ...value, notes: [...value['notes'], ...value['notes']] } : value,
    ),
    'answer',
    'a page of one row',
  ],
  ['a wrong method that is not found', asStatus(405, 404), 'method', 'the method DELETE'],
  ['a wrong Allow', withHeader('allow', 'GET'), 'method', 'the method DELETE'],
  [
    'a HEAD unlike its GET',
    (answer, { method }) => (method === 'HEAD' ? { ...answer, status: 404 } : answer),
    'method',
    'the method HEAD',
  ],
  [
    'a HEAD with a body',
    (answer, { method }) => (method === 'HEAD' ? { ...answer, body: 'x' } : answer),
    'method',
    'the method HEAD',
  ],
]

function asText(status: number): Change {
  return answer => (answer.status === status ? { ...answer, body: 'no' } : answer)
}

describe('a wrong response is found', () => {
  test.each(changes)('%s', async (_fault, change, proof, what) => {
    const { findings } = await walkNotes(notesServer({ change }))
    expect(findings).toContainEqual(expect.objectContaining({ proof, what }))
  })
})

test('a server without responses is a finding of each request', async () => {
  const { findings } = await walkNotes(async () => Promise.reject(new Error('connection refused')))
  expect(findings).toContainEqual({
    operationId: 'createNote',
    proof: 'answer',
    what: 'a valid request',
    expected: 'an answer',
    got: 'connection refused',
  })
})

test('a fault of every response is reported once per operation', async () => {
  const { findings } = await walkNotes(notesServer({ change: withHeader('x-request-id', undefined) }))
  expect(findings.map(({ operationId }) => operationId)).toEqual(['listNotes', 'createNote', 'getNote', 'updateNote'])
})

test('the walk finds existing resources through lists', async () => {
  const report = await walkNotes(notesServer(), { existing: {} })
  expect(said(report)).toEqual([])
  const { findings } = await walkNotes(notesServer({ change: brokenNote }), { existing: {}, operations: ['getNote'] })
  expect(findings).toContainEqual(
    expect.objectContaining({ proof: 'routed', what: 'a valid request for an existing resource' }),
  )
})

const brokenNote: Change = (answer, { target }) =>
  target.startsWith('/notes/') && answer.status === 200 ? { ...answer, status: 409 } : answer

test('the same requests are sent in every walk, and no more than the limit', async () => {
  const first = await recorded({ limit: 30 })
  expect(await recorded({ limit: 30 })).toEqual(first)
  const { walked } = await walkNotes(notesServer(), { limit: 30 })
  expect(walked.map(({ requests }) => requests)).toEqual([30, 30, expect.any(Number), 30])
  expect(walked.map(({ omitted }) => omitted > 0)).toEqual([true, true, false, true])
})

test('the limit of all requests ends the walk', async () => {
  const report = await walkNotes(notesServer(), { total: 45 })
  expect(requestsOf(report)).toBe(45)
  expect(printConformance(report)).toMatch(/^0 findings, 4 operations, 45 requests, \d+ left out by the limit$/)
})

/** Returns a change that removes the body of every error, and replaces the status 400 by `status`. */
const bare =
  (status: number): Change =>
  answer =>
    answer.status < 400 ? answer : { ...answer, status: answer.status === 400 ? status : answer.status, body: '' }

test.each([400, 415, 422])('a document without errors allows a server to refuse with %i', async status => {
  expect(said(await walkForeignNotes(notesServer({ change: bare(status) })))).toEqual([])
})

test.each(notesRules.filter(rule => /^(title|stars|dry_run|body)/.test(rule)))(
  'for a document without errors, an unenforced rule is found too: %s',
  async rule => {
    expect((await walkForeignNotes(notesServer({ change: bare(422), without: rule }))).findings.length).toBeGreaterThan(
      0,
    )
  },
)

test.each([
  [
    'a route that is missing',
    (answer, { method }) => (method === 'POST' ? { ...answer, status: 404, body: '' } : answer),
  ],
  ['a handler that breaks', asStatus(200, 503)],
  ['a valid request that is refused', asStatus(200, 422)],
  ['a status that is not declared', asStatus(200, 204)],
] as const satisfies readonly (readonly [string, Change])[])(
  'for a document without errors, %s is found too',
  async (_fault, change) => {
    const { findings } = await walkForeignNotes(notesServer({ change }))
    expect(findings.filter(({ proof }) => proof === 'routed' || proof === 'answer').length).toBeGreaterThan(0)
  },
)

async function recorded(options: { readonly limit: number }): Promise<readonly Request[]> {
  const requests: Request[] = []
  const server = notesServer()
  const call: RequestSender = request => {
    requests.push(request)
    return server(request)
  }
  await walkNotes(call, options)
  return requests
}
