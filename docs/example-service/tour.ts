import { LibraryClient } from './generated/client.ts'
import { ApiError } from './generated/runtime/errors.ts'
import { createTransport } from './generated/runtime/transport.ts'
import { Faults } from './generated/runtime/validation.ts'
import { checkLentProblem } from './generated/validators.ts'

const { LIBRARY_URL: baseUrl = 'http://127.0.0.1:8081', API_KEY = '' } = process.env
const library = new LibraryClient(createTransport({ baseUrl, headers: { 'x-api-key': API_KEY } }))

const { body: book } = await library.createBook({
  body: { title: 'Momo', medium: { type: 'print', pages: 304 }, tags: ['children'] },
})
console.log(`${book.title} is in ${book.condition} condition`)

const { status } = await library.uploadCover({ bookId: book.id, body: new Blob(['not quite a picture']) })
const cover = await library.downloadCover({ bookId: book.id })
console.log(`${status}, then ${cover.headers['Content-Length']} bytes: ${await new Response(cover.body).text()}`)

const { body: books, headers } = await library.listBooks({ tag: ['children'], limit: 10 })
console.log(`${books.length} of ${headers['X-Total-Count']} books for children`)

await library.lendBook({ bookId: book.id, body: { borrower: 'Ann' } })
try {
  await library.lendBook({ bookId: book.id, body: { borrower: 'Ben', days: 7 } })
} catch (error) {
  if (!(error instanceof ApiError)) throw error
  console.log(`${error.response?.status}: ${error.message}`)
  const problem = error.response?.body
  if (checkLentProblem(problem, new Faults(true))) console.log(`due on a ${weekday(problem.due)}`)
}

function weekday(date: string): string {
  return new Date(date).toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' })
}
