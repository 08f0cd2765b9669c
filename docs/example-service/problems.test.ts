import { rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { ApiError } from './generated/runtime/errors.ts'
import { Faults } from './generated/runtime/validation.ts'
import type { BookRequestInput } from './generated/types.ts'
import { checkInvalidProblem, checkLentProblem, checkProblem } from './generated/validators.ts'
import { apiKey, serveLibrary, type ServedLibrary } from './serving.ts'

const nobody = '00000000-0000-4000-8000-000000000000'
const momo: BookRequestInput = { title: 'Momo', isbn: '9783522177504', medium: { type: 'print', pages: 304 } }
const json = { 'content-type': 'application/json', 'x-api-key': apiKey }

/** The problem that a call with `fetch` is answered with. */
async function problemOf({ url }: ServedLibrary, method: string, path: string, init: RequestInit = {}) {
  const response = await fetch(url + path, { headers: { 'x-api-key': apiKey }, ...init, method })
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  const problem: unknown = await response.json()
  expect(checkProblem(problem, new Faults(true))).toBe(true)
  expect(problem).toMatchObject({ status: response.status })
  return problem
}

/** What a call of the client fails with. */
async function failing(call: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(error instanceof ApiError)) throw new Error('the call did not fail', { cause: error })
  return error
}

describe('a request that does not fit the document', () => {
  const shortTitle = { ...momo, title: '' }
  it.each<[string, string, string, unknown, Record<string, string>]>([
    ['no body', 'POST', '/books', undefined, { body: 'is required' }],
    ['no object', 'POST', '/books', [], { body: 'must be an object' }],
    ['missing members', 'POST', '/books', {}, { title: 'is required', medium: 'is required' }],
    [
      'several faults at once',
      'PUT',
      `/books/${nobody}`,
      { ...shortTitle, isbn: '123', condition: 'eaten', tags: ['a', 'B', 'a'], published: '2030-02-30' },
      {
        title: 'must not be empty',
        isbn: 'must match ^97[89][0-9]{10}$',
        published: 'must be a valid date',
        condition: 'must be one of new, good, worn',
        'tags[1]': 'must match ^[a-z]+(-[a-z]+)*$',
      },
    ],
    ['a tag twice', 'POST', '/books', { ...momo, tags: ['a', 'a'] }, { 'tags[1]': 'must not repeat an earlier item' }],
    [
      'a medium that is none',
      'POST',
      '/books',
      { ...momo, medium: { type: 'scroll' } },
      { 'medium.type': 'must be one of print, audio' },
    ],
    [
      'a member of the other medium',
      'POST',
      '/books',
      { ...momo, medium: { type: 'audio', minutes: 1, pages: 1 } },
      { 'medium.pages': 'is not a known field' },
    ],
    [
      'an id that is no UUID',
      'POST',
      '/books/momo/loan',
      { borrower: 'Ann', days: 61 },
      { bookId: 'must be a valid uuid', days: 'must be at most 60' },
    ],
  ])('%s: is answered 400 with every fault', async (_, method, path, body, faults) => {
    await using library = await serveLibrary()
    const init = { headers: json, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const problem = await problemOf(library, method, path, init)
    expect(checkInvalidProblem(problem, new Faults(true))).toBe(true)
    expect(problem).toMatchObject({
      type: '/problems/field-invalid',
      status: 400,
      faults: Object.entries(faults).map(([field, message]) => ({ field, message })),
    })
  })

  it.each([
    ['?limit=0', 'limit', 'must be at least 1'],
    ['?limit=ten', 'limit', 'must be an integer'],
    ['?offset=-1', 'offset', 'must be at least 0'],
    ['?tag=a&tag=b&tag=c&tag=d&tag=e&tag=f', 'tag', 'must have at most 5 items'],
    ['?condition=eaten', 'condition', 'must be one of new, good, worn'],
    ['?page_size=1', 'page_size', 'is not a parameter of this operation'],
    ['?tag=%ff', 'tag', expect.stringContaining('percent-encoding')],
  ])('%s is answered 400', async (query, field, message) => {
    await using library = await serveLibrary()
    expect(await problemOf(library, 'GET', `/books${query}`)).toMatchObject({
      status: 400,
      faults: [{ field, message }],
    })
  })

  it('that is no JSON is answered 400', async () => {
    await using library = await serveLibrary()
    expect(await problemOf(library, 'POST', '/books', { headers: json, body: '{' })).toMatchObject({
      status: 400,
      faults: [{ field: 'body', message: 'must be valid JSON' }],
    })
  })

  it.each([
    ['POST', '/books', 'application/json'],
    ['PUT', `/books/${nobody}`, 'application/json'],
    ['POST', `/books/${nobody}/loan`, 'application/json'],
    ['PUT', `/books/${nobody}/cover`, 'image/png'],
  ])('%s %s with another content type is answered 415', async (method, path, type) => {
    await using library = await serveLibrary()
    const headers = { 'content-type': 'text/csv', 'x-api-key': apiKey }
    expect(await problemOf(library, method, path, { headers, body: 'a;b' })).toMatchObject({
      status: 415,
      faults: [{ field: 'body', message: `must have the content type ${type}` }],
    })
  })

  it.each([
    ['GET', '/shelves', 404],
    ['PATCH', '/books', 405],
    ['POST', `/books/${nobody}`, 405],
  ])('%s %s is no operation', async (method, path, status) => {
    await using library = await serveLibrary()
    expect(await problemOf(library, method, path)).toMatchObject({ type: '/problems/route-not-found', status })
  })

  it('that is no HTTP is answered in the same form', async () => {
    await using library = await serveLibrary()
    const socket = connect(Number(new URL(library.url).port), '127.0.0.1')
    socket.write('good morning\r\n\r\n')
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 400 .*content-type: application\/problem\+json/is)
    expect(JSON.parse(body)).toMatchObject({ status: 400, faults: [{ message: 'is not valid HTTP' }] })
  })
})

describe('a call without the key', () => {
  it.each([
    ['POST', '/books'],
    ['PUT', `/books/${nobody}`],
    ['DELETE', `/books/${nobody}`],
    ['PUT', `/books/${nobody}/cover`],
    ['POST', `/books/${nobody}/loan`],
  ])('%s %s is answered 401, before anything else is looked at', async (method, path) => {
    await using library = await serveLibrary()
    for (const headers of [{}, { 'x-api-key': 'guessed' }]) {
      const problem = await problemOf(library, method, path, { headers })
      expect(problem).toMatchObject({ type: '/problems/unauthorized', status: 401 })
    }
    const response = await fetch(library.url + path, { method })
    expect(response.headers.get('www-authenticate')).toBe('ApiKey')
  })

  it('may look', async () => {
    await using library = await serveLibrary()
    const { body } = await library.librarian.createBook({ body: momo })
    expect((await library.visitor.getBook({ bookId: body.id })).title).toBe('Momo')
  })
})

describe('what the library itself refuses', () => {
  it.each([
    ['GET', `/books/${nobody}`, undefined],
    ['PUT', `/books/${nobody}`, momo],
    ['DELETE', `/books/${nobody}`, undefined],
    ['GET', `/books/${nobody}/cover`, undefined],
    ['POST', `/books/${nobody}/loan`, { borrower: 'Ann' }],
  ])('%s %s of a book that it does not have is answered 404', async (method, path, body) => {
    await using library = await serveLibrary()
    const init = { headers: json, ...(body && { body: JSON.stringify(body) }) }
    expect(await problemOf(library, method, path, init)).toEqual({
      type: '/problems/not-found',
      title: 'Not Found',
      status: 404,
      detail: `the library has no book ${nobody}`,
    })
  })

  it('an ISBN that another book has is answered 409', async () => {
    await using library = await serveLibrary()
    await library.librarian.createBook({ body: momo })
    const other = await library.librarian.createBook({ body: { ...momo, isbn: null } })
    const calls = [
      library.librarian.createBook({ body: momo }),
      library.librarian.replaceBook({ bookId: other.body.id, body: momo }),
    ]
    for (const call of calls) {
      const { response, message } = await failing(call)
      expect([response?.status, message]).toEqual([409, 'another book has the ISBN 9783522177504'])
      expect(response?.body).toMatchObject({ type: '/problems/isbn-taken' })
    }
  })

  it('a book that someone has is neither lent nor deleted: 409 with the day it is due', async () => {
    await using library = await serveLibrary()
    const { body } = await library.librarian.createBook({ body: momo })
    const { due } = await library.librarian.lendBook({ bookId: body.id, body: { borrower: 'Ann' } })
    const calls = [
      library.librarian.lendBook({ bookId: body.id, body: { borrower: 'Ben' } }),
      library.librarian.deleteBook({ bookId: body.id }),
    ]
    for (const call of calls) {
      const { message, response } = await failing(call)
      expect([response?.status, message]).toEqual([409, `the book is lent until ${due}`])
      const problem = response?.body
      expect(checkLentProblem(problem, new Faults(true)) && problem.due).toBe(due)
    }
    expect((await library.visitor.getBook({ bookId: body.id })).due).toBe(due)
  })
})

it('a defect of the service is answered 500, without what was thrown', async () => {
  await using library = await serveLibrary()
  const { body } = await library.librarian.createBook({ body: momo })
  await rm(library.folder, { recursive: true })
  const logged = library.logged('uploadCover')
  const { response } = await failing(library.librarian.uploadCover({ bookId: body.id, body: new Blob(['x']) }))
  expect(response?.body).toEqual({
    type: '/problems/internal',
    title: 'Internal Server Error',
    status: 500,
    detail: expect.stringMatching(/^internal error; it is recorded under trace [0-9a-f]{32}$/),
  })
  expect(await logged).toMatchObject({ status: 500, error: { code: 'ENOENT' } })
})
