/**
 * This program is the peer of the data plane: a bare server of node:http that keeps bodies in files of a folder, the
 * first argument. It checks nothing and limits nothing.
 *
 * - `PUT /plain/NAME` writes and synchronises a file; `PUT /digests/NAME` also computes SHA-256, MD5 and CRC32C, and
 *   `PUT /sha256/NAME` computes SHA-256.
 * - `GET /NAME/NAME` answers a file.
 * - `PUT /row` and `GET /row` write and read a row of 512 bytes in SQLite, each in a statement of its own.
 */
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { DatabaseSync } from 'node:sqlite'
import { crc32c } from '../../../../domain/resources/crc32c.ts'

const folder = process.argv[2] ?? '.'
for (const name of ['plain', 'digests', 'sha256']) await mkdir(join(folder, name), { recursive: true })
const database = new DatabaseSync(join(folder, 'rows.sqlite'))
database.exec(
  'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE rows (id TEXT PRIMARY KEY, body TEXT)',
)
const insert = database.prepare('INSERT INTO rows VALUES (?, ?)')
const select = database.prepare('SELECT body FROM rows WHERE id = ?')
const row = 'x'.repeat(512)
insert.run('kept', row)

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    console.error(error)
    response.destroy()
  })
})
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null) console.log(`listens on http://127.0.0.1:${address.port}`)
})

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url = '' } = request
  const [, kind = '', name = ''] = url.split('/')
  if (kind === 'row') return answerRow(request, response)
  const file = join(folder, kind, name)
  if (method === 'PUT') {
    const digests = await write(request, file, kind)
    response.writeHead(200, { 'content-length': '0', ...digests }).end()
    return
  }
  const { size } = await stat(file)
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': String(size) })
  createReadStream(file).pipe(response)
}

async function answerRow(request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.resume()
  if (!request.readableEnded) await once(request, 'end')
  if (request.method === 'PUT') insert.run(randomUUID(), row)
  const body = request.method === 'GET' ? String(select.get('kept')?.['body']) : ''
  response.writeHead(200, { 'content-length': String(body.length) }).end(body)
}

async function write(body: IncomingMessage, file: string, kind: string): Promise<Record<string, string>> {
  const [sha256, md5] = [createHash('sha256'), createHash('md5')]
  let sum = 0
  if (kind === 'sha256') body.on('data', (chunk: Buffer) => sha256.update(chunk))
  if (kind === 'digests')
    body.on('data', (chunk: Buffer) => {
      sha256.update(chunk)
      md5.update(chunk)
      sum = crc32c(chunk, sum)
    })
  // With `flush`, the stream synchronises the file before it closes the file.
  await pipeline(body, createWriteStream(file, { flush: true }))
  return { sha256: sha256.digest('base64'), md5: md5.digest('hex'), crc32c: String(sum) }
}
