import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { isRecord } from '../../../runtime/validation.ts'
import { openChunks } from './chunks.ts'
import { readHeader } from './header.ts'
import { damaged, SnapshotFault } from './snapshot-fault.ts'

/** A row of a snapshot: the name of its table, and its document. */
export interface SnapshotLine {
  readonly table: string
  readonly row: unknown
}

/**
 * The maximal size of a line in bytes. The largest rows are the revocation lists of authorities with 100,000 revoked
 * certificates.
 */
export const maxLineBytes = 32 * 1024 * 1024

/**
 * Yields the rows of a snapshot in the order of the file; memory is bounded by the size of a line. The last check is the
 * trailer, so a caller must not rely on rows before the end. Throws `SnapshotFault` for a file that is not exactly what
 * was written.
 */
export async function* readLines(file: string, key: Uint8Array): AsyncGenerator<SnapshotLine, void, undefined> {
  const { digest, size } = await readHeader(file)
  const content = pipeline(
    createReadStream(file, { start: size, highWaterMark: 65_536 }),
    (source: AsyncIterable<Uint8Array>) => openChunks({ key, additional: digest }, source),
    createGunzip(),
    () => {},
  )
  const counts = new Map<string, number>()
  const hash = createHash('sha256')
  let trailer: unknown
  try {
    for await (const line of linesOf(content)) {
      if (trailer !== undefined) throw damaged('it goes on behind its last line')
      const value = parsed(line)
      if (Object.hasOwn(value, 'trailer')) {
        trailer = value['trailer']
        continue
      }
      hash.update(line).update('\n')
      const { row, table } = value
      if (typeof table !== 'string' || Object.keys(value).length !== 2) throw damaged('a line is no row')
      counts.set(table, (counts.get(table) ?? 0) + 1)
      yield { table, row }
    }
  } catch (error) {
    throw isOfZlib(error) ? damaged('it is not compressed as snapshots are') : error
  } finally {
    content.destroy()
  }
  requireTrailer(trailer, counts, hash.digest('hex'))
}

function requireTrailer(trailer: unknown, counts: ReadonlyMap<string, number>, sha256: string): void {
  if (!isRecord(trailer) || !isRecord(trailer['counts'])) throw damaged('its last line is missing')
  const given = new Map(Object.entries(trailer['counts']).filter(([, count]) => count !== 0))
  if (!isDeepStrictEqual(given, counts)) throw damaged('it has another number of rows than its last line says')
  if (trailer['sha256'] !== sha256) throw damaged('its rows have another digest than its last line says')
}

const isOfZlib = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')

function parsed(line: Buffer): Readonly<Record<string, unknown>> {
  const value = jsonOf(line)
  if (isRecord(value)) return value
  throw damaged('a line is no object in JSON')
}

function jsonOf(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString())
  } catch {
    return undefined
  }
}

/** Yields the lines of a stream without their ends. Throws `SnapshotFault` for a line that is too long or has no end. */
async function* linesOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  let parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of content) {
    let at = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, at)) {
      yield Buffer.concat([...parts, chunk.subarray(at, end)])
      parts = []
      length = 0
      at = end + 1
    }
    length += chunk.length - at
    if (length > maxLineBytes) throw new SnapshotFault(`has a line of over ${maxLineBytes} bytes; no snapshot has that`)
    if (at < chunk.length) parts.push(chunk.subarray(at))
  }
  if (length > 0) throw damaged('its last line has no end')
}
