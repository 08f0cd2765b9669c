import type { Book } from './generated/types.ts'
import { isbnTaken, noSuchBook } from './problems.ts'

/** The books of the library, kept in memory. */
export class Shelf {
  readonly #books = new Map<string, Book>()

  /** By title, then in the order in which they came. */
  all(): Book[] {
    return [...this.#books.values()].sort((one, other) => one.title.localeCompare(other.title, 'en'))
  }

  /** Throws the problem `not-found`. */
  find(id: string): Book {
    const book = this.#books.get(id)
    if (book === undefined) throw noSuchBook(id)
    return book
  }

  /** Adds the book, or replaces the one with its id. Throws the problem `isbn-taken`. */
  put(book: Book): Book {
    const isTaken = this.all().some(({ id, isbn }) => id !== book.id && isbn !== null && isbn === book.isbn)
    if (book.isbn !== null && isTaken) throw isbnTaken(book.isbn)
    this.#books.set(book.id, book)
    return book
  }

  remove(id: string): void {
    this.#books.delete(id)
  }
}
