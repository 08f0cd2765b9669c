import type { EntryBlock } from '../format/entry-block.ts'

/**
 * Returns the indices from `first` up to `last`, ascending, of the lines of a block that contain, for each list, one text
 * of the list.
 */
export function linesWith(
  block: EntryBlock,
  first: number,
  last: number,
  required: readonly (readonly Uint8Array[])[],
): Uint32Array {
  const [list = [], ...more] = required
  const found = new Set<number>()
  for (const text of list) addLines(found, block, first, last, text)
  const indices = Uint32Array.from(found).sort()
  if (more.length === 0) return indices
  return indices.filter(index => {
    const line = bufferOf(block.lineBytes(index))
    return more.every(texts => texts.some(text => line.indexOf(text) >= 0))
  })
}

/** Adds the indices of the lines that contain a text. */
function addLines(found: Set<number>, block: EntryBlock, first: number, last: number, text: Uint8Array): void {
  if (first >= last) return
  const start = block.lineStart(first)
  const lines = bufferOf(block.lines.subarray(start, block.lineEnds[last - 1]))
  let at = lines.indexOf(text)
  while (at >= 0) {
    const index = lineAt(block, start + at, first, last)
    const end = (block.lineEnds[index] ?? 0) - start
    if (at + text.length <= end) {
      found.add(index)
      at = lines.indexOf(text, end)
    } else {
      // The text crosses the end of a line.
      at = lines.indexOf(text, at + 1)
    }
  }
}

/** Returns the index of the line with a byte, from `first` up to `last`. */
function lineAt(block: EntryBlock, position: number, first: number, last: number): number {
  let low = first
  let high = last
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((block.lineEnds[middle] ?? 0) <= position) low = middle + 1
    else high = middle
  }
  return low
}

const bufferOf = ({ buffer, byteLength, byteOffset }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength)
