import { constants, createGunzip, createZstdDecompress } from 'node:zlib'
import { LayerFault } from '../../../domain/registry/scanning/inventory.ts'
import { Pieces } from './pieces.ts'

/** A stream of zlib that decompresses. */
type Decompressor = ReturnType<typeof createGunzip> | ReturnType<typeof createZstdDecompress>

const outputBytes = 262_144

/** The largest window of zstd, 128 MiB as a power of two: container engines refuse larger ones too. */
const largestWindow = 27

const gzip = (): Decompressor => createGunzip({ chunkSize: outputBytes })
const zstd = (): Decompressor =>
  createZstdDecompress({ chunkSize: outputBytes, params: { [constants.ZSTD_d_windowLogMax]: largestWindow } })

/** The formats by their first bytes. A frame of zstd that is skipped may be the first one. */
const formats: readonly (readonly [magic: RegExp, name: string, open: (() => Decompressor) | undefined])[] = [
  [/^\x1f\x8b/, 'gzip', gzip],
  [/^\x28\xb5\x2f\xfd/, 'zstd', zstd],
  [/^[\x50-\x5f]\x2a\x4d\x18/, 'zstd', zstd],
  [/^BZh/, 'bzip2', undefined],
  [/^\xfd7zXZ\x00/, 'xz', undefined],
]

/**
 * Yields the unpacked bytes of a layer. Its first bytes decide about the compression, as in container engines: gzip, zstd,
 * each of several members or frames, or none. Throws a `LayerFault` for bytes that do not unpack.
 */
export async function* unpacked(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const bytes = new Pieces(source)
  const start = (await bytes.peek(6)).toString('latin1')
  const [, name, open] = formats.find(([magic]) => magic.test(start)) ?? []
  if (name === undefined) {
    yield* bytes.rest()
    return
  }
  if (open === undefined) throw new LayerFault('unreadable', `a layer is compressed by ${name}, which is not read`)
  // Node.js reads one frame of zstd, and as many members of gzip as there are.
  while ((await bytes.peek(1)).length > 0) yield* onePart(bytes, open(), name)
}

/** Yields the unpacked bytes of one frame, and gives back the packed bytes behind it. */
async function* onePart(bytes: Pieces, stream: Decompressor, name: string): AsyncGenerator<Buffer> {
  const fed = feed(bytes, stream)
  try {
    for await (const piece of stream) yield piece
    await fed
  } catch (error) {
    throw faultOf(error, name)
  } finally {
    stream.destroy()
  }
}

/** Writes bytes to a stream, a piece at a time, until its frame ends. Never rejects: the stream has the fault. */
async function feed(bytes: Pieces, stream: Decompressor): Promise<void> {
  try {
    for (let written = 0; stream.bytesWritten === written;) {
      const piece = await bytes.next()
      if (piece === undefined) return void stream.end()
      await new Promise<void>((resolve, reject) => stream.write(piece, error => (error ? reject(error) : resolve())))
      written += piece.length
      bytes.giveBack(piece.subarray(piece.length - (written - stream.bytesWritten)))
    }
  } catch (error) {
    stream.destroy(error instanceof Error ? error : new Error(String(error)))
  }
}

function faultOf(error: unknown, name: string): unknown {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  if (typeof code !== 'string' || !/^Z_|^ZSTD_/.test(code)) return error
  return code === 'ZSTD_error_frameParameter_windowTooLarge'
    ? new LayerFault('limit', `a layer needs a window of zstd of more than ${2 ** (largestWindow - 20)} MiB`)
    : new LayerFault('unreadable', `a layer cannot be unpacked by ${name} (${code})`)
}
