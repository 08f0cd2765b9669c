import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { dispatcher } from '../../runtime/call.ts'
import { ApiError, commonReasons } from '../../runtime/errors.ts'
import { nodeHost, serverOptions } from '../../runtime/hosts/node.ts'
import { pageTokens } from '../../runtime/page-token.ts'
import { listInMemory } from '../../runtime/pagination.ts'
import { noteFull, noteNotFound } from '../golden/notes/output/errors.ts'
import type { NotesHandlers } from '../golden/notes/output/handlers.ts'
import { notesRoutes } from '../golden/notes/output/routes.ts'
import type { Note } from '../golden/notes/output/types.ts'

const largest = 400_000

/** The server's observations of the page, in addition to its report. */
export interface Seen {
  /** The number of calls for the note `slow` that the page aborted. */
  aborted: number
  /** The Idempotency-Keys of the note `after 503`, one for each attempt. */
  readonly keys: (string | undefined)[]
}

/**
 * Makes a server of the notes and their page on one origin: `/` is the page, `/program.js` is the program of the page,
 * `/report` receives the results of the page for `reported`, and `/waiting` responds once a call for the note `slow`
 * has begun.
 */
export function createNotes(program: string, seen: Seen, reported: (report: unknown) => void): Server {
  const waiting = Promise.withResolvers<void>()
  const pages: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => unknown>> = {
    '/': (_, response) => {
      response.setHeader('content-type', 'text/html')
      response.end('<!doctype html><title>notes</title><script type="module" src="/program.js"></script>')
    },
    '/program.js': (_, response) => {
      response.setHeader('content-type', 'text/javascript')
      response.end(program)
    },
    '/report': async (request, response) => {
      reported(await json(request))
      response.end()
    },
    '/waiting': (_, response) => waiting.promise.then(() => response.end()),
  }
  const api = nodeHost(
    dispatcher({
      routes: notesRoutes(handlers(seen, waiting.resolve)),
      doors: { authenticate: async () => undefined, authorize: async () => {} },
      tokens: pageTokens(text => createHmac('sha256', 'key').update(text).digest('binary')),
      clock: { now: () => Date.now(), newId: () => crypto.randomUUID() },
      domains: { outside: { name: 'notes' } },
      log: () => {},
    }),
  )
  return createServer(serverOptions, (request, response) => {
    const page = pages[request.url ?? '']
    if (page) page(request, response)
    else api(request, response)
  })
}

function handlers(seen: Seen, begun: () => void): NotesHandlers {
  const kept: Note[] = ['one', 'two', 'three', 'four', 'five'].map(text => ({ id: text, text, colour: 'YELLOW' }))
  const attachments = new Map<string, Blob>()
  return {
    notes: {
      listNotes: async (_, { query }) => listInMemory(kept, query),
      async createNote({ body }, { idempotencyKey }) {
        if (body.text === 'after 503' && seen.keys.push(idempotencyKey) === 1) {
          throw new ApiError(commonReasons.ENGINE_UNAVAILABLE, 'not yet', {}, { retryAfterSeconds: 0 })
        }
        const note = { ...body, id: crypto.randomUUID() }
        kept.push(note)
        return note
      },
      async getNote({ id }, { signal }) {
        if (id !== 'slow')
          throw noteNotFound(`there is no note "${id}"`, { resource: { type: 'notes.notes', name: id } })
        begun()
        await new Promise(resolve => signal.addEventListener('abort', resolve))
        seen.aborted += 1
        throw signal.reason
      },
      async uploadAttachment({ id, body }) {
        const file = await new Response(body).blob()
        if (file.size > largest) {
          const quota = [{ subject: 'notes.attachments', description: `at most ${largest} bytes` }]
          throw noteFull('the file is too large', { limit: String(largest) }, { quota })
        }
        attachments.set(id, file)
        return { id, text: 'with a file', attachment_bytes: file.size }
      },
      downloadAttachment: async ({ id }) => attachments.get(id) ?? new Blob(),
    },
  }
}
