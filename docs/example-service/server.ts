import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { bookHandlers } from './books.ts'
import { type CoverFolder, coverHandlers, forgetCover } from './covers.ts'
import { library } from './generated/errors.ts'
import { libraryRoutes } from './generated/routes.ts'
import { dispatcher } from './generated/runtime/call.ts'
import type { Doors } from './generated/runtime/doors.ts'
import { answerClientError, nodeHost, serverOptions } from './generated/runtime/hosts/node.ts'
import type { LogEntry } from './generated/runtime/outcome.ts'
import { keyMissing, renderProblem } from './problems.ts'
import { Shelf } from './shelf.ts'

export interface LibraryOptions {
  /** What callers send in `X-API-Key` to change something. */
  readonly apiKey: string
  readonly covers: CoverFolder
  /** Told of every call. */
  readonly log: (entry: LogEntry) => void
}

/** The library as a server that does not listen yet, with an empty shelf. */
export function createLibrary({ apiKey, covers, log }: LibraryOptions): Server {
  const shelf = new Shelf()
  const books = bookHandlers(shelf, bookId => forgetCover(covers, bookId))
  const dispatch = dispatcher({
    routes: libraryRoutes({ books, covers: coverHandlers(shelf, covers) }),
    doors: keyDoors(apiKey),
    clock: { now: Date.now, newId: randomUUID },
    domains: { outside: library },
    unsupportedMediaTypeStatus: 415,
    renderError: renderProblem,
    log,
  })
  const server = createServer(serverOptions, nodeHost(dispatch))
  server.on('clientError', (error, socket) => answerClientError(error, socket, library, renderProblem))
  return server
}

/** Everyone may look; who changes something has the key. */
function keyDoors(apiKey: string): Doors {
  return {
    async authenticate({ headers }) {
      const key = headers['x-api-key']
      return key !== undefined && isSame(key, apiKey) ? { id: 'librarian', kind: 'user' } : undefined
    },
    async authorize({ principal }, { method }) {
      if (method !== 'GET' && principal === undefined) throw keyMissing()
    },
  }
}

/** Takes as long whatever is wrong. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
