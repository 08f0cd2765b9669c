const mebibyte = 1024 * 1024

/** The least size of the parts of an upload and of a download, in bytes. */
const leastPart = 8 * mebibyte

/** The most parts of an upload. */
const maxParts = 10_000

/** A part of a content: its number from 1 on, and its place in bytes. */
export interface Part {
  readonly number: number
  readonly start: number
  readonly length: number
}

/** Returns the size of the parts of a content, in bytes: equal contents always have equal parts. */
export const partSize = (size: number): number => Math.max(leastPart, Math.ceil(size / maxParts / mebibyte) * mebibyte)

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
