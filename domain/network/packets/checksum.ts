import { read16 } from './bytes.ts'

/**
 * Returns the one's complement sum of a range of bytes (RFC 1071), added to `sum`. An odd last byte counts as the high
 * byte of a word.
 */
export function sumOf(bytes: Uint8Array, start: number, end: number, sum = 0): number {
  let total = sum
  for (let at = start; at + 1 < end; at += 2) total += read16(bytes, at)
  if ((end - start) % 2 === 1) total += (bytes[end - 1] ?? 0) << 8
  return folded(total)
}

/** Returns the checksum of a range of bytes: the complement of their sum. */
export const checksumOf = (bytes: Uint8Array, start: number, end: number, sum = 0): number =>
  ~sumOf(bytes, start, end, sum) & 0xffff

function folded(sum: number): number {
  let rest = sum
  while (rest > 0xffff) rest = (rest & 0xffff) + Math.floor(rest / 0x10000)
  return rest
}
