import { createHash } from 'node:crypto'
import { appendFile, lstat, open, readFile, rename, rm, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { combineCrc32c, crc32c, crc32cText } from '../../domain/resources/crc32c.ts'
import type { ObjectMetadata } from '../../output/storage/types.ts'
import { CommandError } from '../exit-codes.ts'
import { metadataAt, type OpenBucket } from './bucket.ts'
import { exclusively } from './exclusive.ts'
import { countedAttempts, receiveContent } from './content-calls.ts'
import { ContentFile } from './content-file.ts'
import type { Limit } from './limit.ts'
import { partSize, partsOf, type Part } from './parts.ts'
import type { Progress } from './progress.ts'

/** The number of bytes of a part that are read at once to compute its checksum. */
const checkedBytes = 524_288

/** A download of an object to a file. */
export interface Download {
  readonly bucket: OpenBucket
  readonly object: string
  /** Bounds the transfers of all downloads of the command. */
  readonly transfers: Limit
  /** Counts bytes that have arrived, and bytes that an interrupted download has left. */
  readonly progress: Pick<Progress, 'kept' | 'moved'>
}

/**
 * Downloads an object in parts beside `path`, compares the checksum of the whole, and then replaces the file at `path`.
 * Parts that an interrupted download of the same version has left are not received again: a list beside them has the
 * numbers and checksums of the parts that are whole.
 */
export async function download(path: string, from: Download): Promise<void> {
  const metadata = await metadataAt(from.bucket, from.object)
  const name = basename(path)
  const unfinished = join(dirname(path), `.${shortened(name)}.${mark(name, metadata)}.part`)
  const list = `${unfinished}.done`
  await exclusively(`${unfinished}.lock`, path, async () => {
    await receive({ unfinished, list, mode: await modeOf(path) }, metadata, from)
    await rename(unfinished, path)
    await rm(list, { force: true })
  })
}

/** The files beside a file that is downloaded. */
interface Unfinished {
  readonly unfinished: string
  /** The file that lists the whole parts. */
  readonly list: string
  /** The permissions of the downloaded file. */
  readonly mode: number
}

/** Returns the permissions of the file that a download replaces, so that a private file stays private. */
async function modeOf(path: string): Promise<number> {
  const facts = await lstat(path).catch(() => undefined)
  return facts?.isFile() ? facts.mode & 0o777 : 0o666
}

/** Receives the parts that `unfinished` does not have, and compares the checksum of the whole. */
async function receive(
  { list, mode, unfinished }: Unfinished,
  metadata: ObjectMetadata,
  from: Download,
): Promise<void> {
  const done = await donePartsIn(list)
  const flag = done.size === 0 ? 'w+' : 'r+'
  const handle = await open(unfinished, flag, mode).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    done.clear()
    return open(unfinished, 'w+', mode)
  })
  try {
    const sums = await Promise.all(
      partsOf(metadata.size).map(async part => {
        const sum = await from.transfers.run(async () => {
          const listed = done.get(part.number)
          // The bytes of a listed part may have been lost with the power of the machine.
          if (listed === undefined || (await sumOf(handle, part)) !== listed)
            return receivePart(handle, part, metadata, from, list)
          from.progress.kept(part.length)
          return listed
        })
        return { sum, length: part.length }
      }),
    )
    if (!(await hasChecksum(metadata, sums, unfinished))) {
      await Promise.all([rm(unfinished, { force: true }), rm(list, { force: true })])
      const { name } = metadata
      throw new CommandError(`what arrived of ${name} has another checksum than the object: run the command again`, 1)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Whether a received file has the CRC-32C of the object, or else its MD5. An object without both has the checksums of its
 * transfers alone: an object in parts in an S3 store.
 */
async function hasChecksum(
  { checksum_crc32c = '', md5 = '' }: ObjectMetadata,
  parts: readonly { readonly sum: number; readonly length: number }[],
  path: string,
): Promise<boolean> {
  if (checksum_crc32c === '') {
    if (md5 === '') return true
    const digest = await ContentFile.reading(path, file => file.digest('md5'))
    return digest.toString('hex') === md5
  }
  const sum = parts.reduce((all, part) => combineCrc32c(all, part.sum, part.length), 0)
  return checksum_crc32c === crc32cText(sum)
}

/** Receives a part, writes it to its place, and notes in the list that it is whole; returns its CRC-32C. */
async function receivePart(
  handle: FileHandle,
  part: Part,
  { etag, version_id }: ObjectMetadata,
  { bucket: { api, at }, object, progress }: Download,
  list: string,
): Promise<number> {
  const body = { object, ...(version_id !== '' && { version_id }) }
  const counted = countedAttempts(progress)
  const sum = await receiveContent(
    () => api.createPresignedDownloadUrl({ ...at, body }),
    { etag, ...part },
    chunks => writePart(handle, part, counted(chunks)),
  )
  await appendFile(list, `${part.number} ${sum}\n`)
  return sum
}

/** Writes chunks to the place of a part, and returns their CRC-32C. */
async function writePart(handle: FileHandle, { start }: Part, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let [at, sum] = [start, 0]
  for await (const chunk of chunks) {
    for (let written = 0; written < chunk.length;)
      written += (await handle.write(chunk, written, chunk.length - written, at + written)).bytesWritten
    at += chunk.length
    sum = crc32c(chunk, sum)
  }
  return sum
}

/** Returns the CRC-32C of a part that lies in the file; undefined if the file is too short. */
async function sumOf(handle: FileHandle, { length, start }: Part): Promise<number | undefined> {
  const bytes = Buffer.allocUnsafeSlow(Math.min(length, checkedBytes))
  let sum = 0
  for (let at = 0; at < length;) {
    const { bytesRead } = await handle.read(bytes, 0, Math.min(bytes.length, length - at), start + at)
    if (bytesRead === 0) return undefined
    sum = crc32c(bytes.subarray(0, bytesRead), sum)
    at += bytesRead
  }
  return sum
}

/** Returns the CRC-32C of the listed parts by their numbers, the later line of two; a last line without its end does not count. */
async function donePartsIn(list: string): Promise<Map<number, number>> {
  try {
    const lines = (await readFile(list, 'utf8')).split('\n').slice(0, -1)
    return new Map(
      lines.map(line => {
        const [number = NaN, sum = NaN] = line.split(' ').map(Number)
        return [number, sum]
      }),
    )
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Map()
    throw error
  }
}

/** Returns a text that differs for different names of files, versions of an object, and sizes of parts. */
const mark = (name: string, { etag, size, version_id }: ObjectMetadata): string =>
  createHash('sha256')
    .update(`${version_id} ${etag} ${partSize(size)} ${name}`)
    .digest('hex')
    .slice(0, 16)

/** Whether a file lies beside an unfinished download, by its name. */
export const isUnfinished = (name: string): boolean => /^\..+\.[0-9a-f]{16}\.part(?:\.done|\.lock)?$/.test(name)

/** Returns the begin of a name, so that a longer name fits into a folder. */
const shortened = (name: string): string => [...name].slice(0, 48).join('')
