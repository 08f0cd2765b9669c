import { randomUUID } from 'node:crypto'
import type { BooksHandlers } from './generated/handlers.ts'
import { lentUntil } from './problems.ts'
import type { Shelf } from './shelf.ts'

const dayMs = 86_400_000

/** What the library does with books; `forgetCover` is told of each book that is gone. */
export function bookHandlers(shelf: Shelf, forgetCover: (bookId: string) => Promise<void>): BooksHandlers {
  return {
    async listBooks({ limit, offset, tag = [], condition }) {
      const books = shelf
        .all()
        .filter(book => tag.every(wanted => book.tags.includes(wanted)))
        .filter(book => condition === undefined || book.condition === condition)
      return {
        status: 200,
        body: books.slice(offset, offset + limit),
        headers: { 'X-Total-Count': books.length },
      }
    },

    async createBook({ body }, { now }) {
      const book = shelf.put({ ...body, id: randomUUID(), added: new Date(now).toISOString(), due: null })
      return { status: 201, body: book, headers: { Location: `/books/${book.id}` } }
    },

    async getBook({ bookId }) {
      return shelf.find(bookId)
    },

    async replaceBook({ bookId, body }) {
      const { id, added, due } = shelf.find(bookId)
      return shelf.put({ ...body, id, added, due })
    },

    async deleteBook({ bookId }) {
      const { due } = shelf.find(bookId)
      if (due !== null) throw lentUntil(due)
      shelf.remove(bookId)
      await forgetCover(bookId)
    },

    async lendBook({ bookId, body: { borrower, days } }, { now }) {
      const book = shelf.find(bookId)
      if (book.due !== null) throw lentUntil(book.due)
      const due = new Date(now + days * dayMs).toISOString().slice(0, 10)
      shelf.put({ ...book, due })
      return { bookId, borrower, due }
    },
  }
}
