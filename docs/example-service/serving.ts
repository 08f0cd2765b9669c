import { mkdtemp, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LibraryClient } from './generated/client.ts'
import type { LogEntry } from './generated/runtime/outcome.ts'
import { createTransport } from './generated/runtime/transport.ts'
import { createLibrary } from './server.ts'

export const apiKey = 'the key of the tests'

/** A library on a free port, and its callers. */
export interface ServedLibrary extends AsyncDisposable {
  readonly url: string
  /** The folder of the covers. */
  readonly folder: string
  /** Has the key. */
  readonly librarian: LibraryClient
  /** Has none. */
  readonly visitor: LibraryClient
  /** The next call of an operation that is logged. */
  logged(operationId: string): Promise<LogEntry>
}

/** Serves a library of its own; its covers have at most `maxBytes`. */
export async function serveLibrary(maxBytes = 100_000): Promise<ServedLibrary> {
  const folder = await mkdtemp(join(tmpdir(), 'library-test-'))
  const waiting = new Map<string | undefined, (entry: LogEntry) => void>()
  const log = (entry: LogEntry): void => waiting.get(entry.operationId)?.(entry)
  const server = createLibrary({ apiKey, covers: { path: folder, maxBytes }, log })
  const url = `http://127.0.0.1:${await listen(server)}`
  return {
    url,
    folder,
    librarian: new LibraryClient(createTransport({ baseUrl: url, headers: { 'x-api-key': apiKey } })),
    visitor: new LibraryClient(createTransport({ baseUrl: url })),
    logged: operationId => new Promise(resolve => waiting.set(operationId, resolve)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}
