const mebibyte = 1024 * 1024

/** The sizes of the parts of an upload and of a download, in bytes, unless their number is limited. */
const [leastPart, largePart] = [8 * mebibyte, 32 * mebibyte]

/** The number of parts from which on parts are larger: each part costs the server a file and a transaction. */
const manyParts = 64

/** The most parts of an upload. */
const maxParts = 10_000

/** A part of a content: its number from 1 on, and its place in bytes. */
export interface Part {
  readonly number: number
  readonly start: number
  readonly length: number
}

/** Returns the size of the parts of a content, in bytes: equal contents always have equal parts. */
export function partSize(size: number): number {
  const wanted = Math.min(largePart, Math.max(leastPart, size / manyParts))
  return Math.ceil(Math.max(wanted, size / maxParts) / mebibyte) * mebibyte
}

/** Returns the parts of a content; none for an empty content. */
export function partsOf(size: number): readonly Part[] {
  const length = partSize(size)
  return Array.from({ length: Math.ceil(size / length) }, (_, i) => ({
    number: i + 1,
    start: i * length,
    length: Math.min(length, size - i * length),
  }))
}

/** Whether a content is sent as a whole, and not in parts. */
export const isSentWhole = (size: number): boolean => size <= leastPart
