import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLibrary } from './server.ts'

const { PORT = '8081', API_KEY = randomUUID() } = process.env
// Covers last as long as the books do, which are in memory.
const folder = await mkdtemp(join(tmpdir(), 'library-covers-'))

const server = createLibrary({
  apiKey: API_KEY,
  covers: { path: folder, maxBytes: 5_000_000 },
  log: ({ method, path, status, milliseconds, error }) => {
    console.log(`${method} ${path ?? 'elsewhere'} ${status} ${milliseconds.toFixed(1)} ms`)
    if (error !== undefined) console.error(error)
  },
})
server.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : PORT
  console.log(`the library listens on http://127.0.0.1:${port}, its key is ${API_KEY}`)
})
server.once('close', () => rm(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close())
