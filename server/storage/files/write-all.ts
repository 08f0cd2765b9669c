import type { FileHandle } from 'node:fs/promises'
import { released } from '../../../runtime/media.ts'

/** Writes chunks at the position of a file, one after the other, and returns their memory. */
export async function writeAll(handle: FileHandle, chunks: readonly Uint8Array<ArrayBuffer>[]): Promise<void> {
  let rest: readonly Uint8Array[] = chunks
  while (rest.length > 0) {
    const { bytesWritten } = await handle.writev([...rest])
    rest = after(rest, bytesWritten)
  }
  released(chunks)
}

/** Returns the chunks without their first `bytes` bytes. */
function after(chunks: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let left = bytes
  for (const [at, chunk] of chunks.entries()) {
    if (left < chunk.length) return [chunk.subarray(left), ...chunks.slice(at + 1)]
    left -= chunk.length
  }
  return []
}
