import { STATUS_CODES } from 'node:http'
import { ApiError } from './generated/runtime/errors.ts'
import type { RenderError } from './generated/runtime/status.ts'
import type { InvalidProblem, LentProblem, Problem } from './generated/types.ts'

/** No book has this id. */
export const noSuchBook = (id: string) =>
  new ApiError({ reason: 'NOT_FOUND', rpc: 'NOT_FOUND' }, `the library has no book ${id}`)

/** The book has no cover. */
export const noCover = (id: string) =>
  new ApiError({ reason: 'NO_COVER', rpc: 'NOT_FOUND' }, `the book ${id} has no cover`)

/** Another book has the ISBN. */
export const isbnTaken = (isbn: string) =>
  new ApiError({ reason: 'ISBN_TAKEN', rpc: 'ALREADY_EXISTS' }, `another book has the ISBN ${isbn}`)

/** Someone has the book until `due`, a date. */
export const lentUntil = (due: string) =>
  new ApiError({ reason: 'LENT', rpc: 'ABORTED' }, `the book is lent until ${due}`, { due })

/** The picture has more bytes than covers may have. */
export const coverTooLarge = (maxBytes: number) =>
  new ApiError({ reason: 'COVER_TOO_LARGE', rpc: 'INVALID_ARGUMENT' }, `a cover has at most ${maxBytes} bytes`)

/** The call needs the API key. */
export const keyMissing = () =>
  new ApiError({ reason: 'UNAUTHORIZED', rpc: 'UNAUTHENTICATED' }, 'send the API key of the library in X-API-Key')

/** Statuses of HTTP that no code of google.rpc has. */
const statuses: Readonly<Record<string, number>> = { COVER_TOO_LARGE: 413 }

/** Every error of this service, those of the runtime among them, in the form of the document (RFC 9457). */
export const renderProblem: RenderError = ({ status: usual, headers }, error) => {
  const status = statuses[error.reason] ?? usual
  return {
    status,
    headers: {
      ...headers,
      'content-type': 'application/problem+json',
      ...(status === 401 && { 'www-authenticate': 'ApiKey' }),
    },
    body: JSON.stringify(problemOf(error, status)),
  }
}

function problemOf(error: ApiError, status: number): Problem | InvalidProblem | LentProblem {
  const problem: Problem = {
    type: `/problems/${error.reason.toLowerCase().replaceAll('_', '-')}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: error.message,
  }
  const { badRequest } = error.details
  if (badRequest) {
    return { ...problem, faults: badRequest.map(({ field, description }) => ({ field, message: description })) }
  }
  const { due } = error.metadata
  return due === undefined ? problem : { ...problem, due }
}
