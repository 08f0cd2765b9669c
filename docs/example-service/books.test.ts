import { describe, expect, expectTypeOf, it } from 'vitest'
import type { LibraryClient } from './generated/client.ts'
import { Faults } from './generated/runtime/validation.ts'
import type { Book, BookRequestInput, Loan } from './generated/types.ts'
import { checkBook, checkLoan } from './generated/validators.ts'
import { apiKey, serveLibrary } from './serving.ts'

const momo: BookRequestInput = { title: 'Momo', medium: { type: 'print', pages: 304 } }
const dune: BookRequestInput = {
  title: 'Dune',
  isbn: '9780441172719',
  published: '1965-08-01',
  condition: 'worn',
  tags: ['sand', 'space-travel'],
  medium: { type: 'audio', minutes: 1262, reader: 'Scott Brick' },
}

/** The titles of a list, and how many there are in all. */
async function titles(client: LibraryClient, request: Parameters<LibraryClient['listBooks']>[0] = {}) {
  const { body, headers } = await client.listBooks(request)
  return [body.map(({ title }) => title), headers['X-Total-Count']]
}

describe('creating a book', () => {
  it('answers 201 with the book, its defaults filled, and where it is found', async () => {
    await using library = await serveLibrary()
    const reply = await library.librarian.createBook({ body: momo })
    const { id } = reply.body
    expect(reply).toEqual({
      status: 201,
      body: {
        ...momo,
        id: expect.any(String),
        isbn: null,
        condition: 'good',
        tags: [],
        added: expect.any(String),
        due: null,
      },
      headers: { Location: `/books/${id}` },
    })
    expect(checkBook(reply.body, new Faults())).toBe(true)
    const found = await fetch(library.url + reply.headers.Location)
    expect([found.status, await found.json()]).toEqual([200, reply.body])
  })

  it('takes both media, and what is optional', async () => {
    await using library = await serveLibrary()
    const { body } = await library.librarian.createBook({ body: dune })
    expect(body).toMatchObject(dune)
  })

  it('does not let the caller say what the library decides', async () => {
    await using library = await serveLibrary()
    const response = await fetch(`${library.url}/books`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({ ...momo, id: 'mine', added: 'never', due: '2030-01-01' }),
    })
    expect(await response.json()).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), due: null })
  })
})

describe('listing books', () => {
  it('sorts by title, and counts what limit and offset leave out', async () => {
    await using library = await serveLibrary()
    for (const title of ['C', 'A', 'B']) await library.librarian.createBook({ body: { ...momo, title } })
    expect(await titles(library.visitor)).toEqual([['A', 'B', 'C'], 3])
    expect(await titles(library.visitor, { limit: 1, offset: 1 })).toEqual([['B'], 3])
    expect(await titles(library.visitor, { offset: 3 })).toEqual([[], 3])
  })

  it('gives twenty where no limit is named', async () => {
    await using library = await serveLibrary()
    for (let i = 0; i < 21; i += 1) await library.librarian.createBook({ body: momo })
    const { body, headers } = await library.visitor.listBooks()
    expect([body.length, headers['X-Total-Count']]).toEqual([20, 21])
  })

  it('keeps those that have every tag and the condition', async () => {
    await using library = await serveLibrary()
    await library.librarian.createBook({ body: dune })
    await library.librarian.createBook({ body: { ...momo, tags: ['sand'] } })
    expect(await titles(library.visitor, { tag: ['sand'] })).toEqual([['Dune', 'Momo'], 2])
    expect(await titles(library.visitor, { tag: ['sand', 'space-travel'] })).toEqual([['Dune'], 1])
    expect(await titles(library.visitor, { tag: ['sand'], condition: 'good' })).toEqual([['Momo'], 1])
    const response = await fetch(`${library.url}/books?tag=sand&tag=space-travel`)
    expect([response.status, response.headers.get('x-total-count'), response.headers.get('content-type')]).toEqual([
      200,
      '1',
      'application/json',
    ])
  })
})

describe('one book', () => {
  it('is shown', async () => {
    await using library = await serveLibrary()
    const { body } = await library.librarian.createBook({ body: dune })
    expect(await library.visitor.getBook({ bookId: body.id })).toEqual(body)
  })

  it('is replaced whole, but for what the library decides', async () => {
    await using library = await serveLibrary()
    const { body } = await library.librarian.createBook({ body: dune })
    const { id: bookId, added } = body
    const replaced = await library.librarian.replaceBook({ bookId, body: momo })
    expect(replaced).toEqual({ ...momo, id: bookId, isbn: null, condition: 'good', tags: [], added, due: null })
    expect(await library.visitor.getBook({ bookId })).toEqual(replaced)
  })

  it('may keep its own ISBN', async () => {
    await using library = await serveLibrary()
    const { body } = await library.librarian.createBook({ body: dune })
    const replaced = await library.librarian.replaceBook({ bookId: body.id, body: { ...dune, title: 'Dune!' } })
    expect(replaced.title).toBe('Dune!')
  })

  it('is gone once it was deleted', async () => {
    await using library = await serveLibrary()
    const { body } = await library.librarian.createBook({ body: momo })
    const response = await fetch(`${library.url}/books/${body.id}`, {
      method: 'DELETE',
      headers: { 'x-api-key': apiKey },
    })
    expect([response.status, await response.text(), response.headers.get('content-type')]).toEqual([204, '', null])
    expect(await titles(library.visitor)).toEqual([[], 0])
    await library.librarian.createBook({ body: momo })
    const { body: others } = await library.visitor.listBooks()
    for (const { id } of others) expect(await library.librarian.deleteBook({ bookId: id })).toBeUndefined()
  })
})

describe('lending a book', () => {
  it('answers 201 with the day it is due, four weeks on where none is named', async () => {
    await using library = await serveLibrary()
    const { body } = await library.librarian.createBook({ body: momo })
    const bookId = body.id
    const response = await fetch(`${library.url}/books/${bookId}/loan`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: '{"borrower":"Ann"}',
    })
    const loan: unknown = await response.json()
    expect([response.status, loan]).toEqual([201, { bookId, borrower: 'Ann', due: expect.any(String) }])
    expect(checkLoan(loan, new Faults())).toBe(true)
    const { due } = await library.visitor.getBook({ bookId })
    expect(loan).toMatchObject({ due })
    const days = (Date.parse(due ?? '') - Date.parse(body.added.slice(0, 10))) / 86_400_000
    // Midnight may have passed meanwhile.
    expect([28, 29]).toContain(days)
  })

  it('takes the days that the borrower wants', async () => {
    await using library = await serveLibrary()
    const [short, long] = [
      await library.librarian.createBook({ body: momo }),
      await library.librarian.createBook({ body: momo }),
    ]
    const one = await library.librarian.lendBook({ bookId: short.body.id, body: { borrower: 'Ann', days: 1 } })
    const sixty = await library.librarian.lendBook({ bookId: long.body.id, body: { borrower: 'Ann', days: 60 } })
    const days = (Date.parse(sixty.due) - Date.parse(one.due)) / 86_400_000
    expect([59, 60]).toContain(days)
  })
})

it('types the client by the document', () => {
  type Result<Name extends keyof LibraryClient> = Awaited<ReturnType<LibraryClient[Name]>>
  expectTypeOf<Result<'createBook'>['status']>().toEqualTypeOf<201>()
  expectTypeOf<Result<'createBook'>['headers']>().toEqualTypeOf<{ Location: string }>()
  expectTypeOf<Result<'listBooks'>['headers']>().toEqualTypeOf<{ 'X-Total-Count': number }>()
  expectTypeOf<Result<'getBook'>>().toEqualTypeOf<Book>()
  expectTypeOf<Result<'deleteBook'>>().toEqualTypeOf<void>()
  expectTypeOf<Result<'uploadCover'>['status']>().toEqualTypeOf<201 | 204>()
  expectTypeOf<Result<'downloadCover'>['body']>().toEqualTypeOf<ReadableStream<Uint8Array<ArrayBuffer>>>()
  expectTypeOf<Result<'lendBook'>>().toEqualTypeOf<Loan>()
})
