/** The positions of a chunk of an upload; both ends are included. */
export interface ChunkRange {
  readonly first: number
  readonly last: number
}

/**
 * Returns the range of a chunk in a header `Content-Range`: `<first>-<last>` as in OCI distribution 1.1, or the form of
 * RFC 9110, `bytes <first>-<last>/<size>`. Returns `malformed` for another text, and undefined without a header.
 */
export function chunkRange(header: string | undefined): ChunkRange | 'malformed' | undefined {
  if (header === undefined) return undefined
  const [, begin = '', end = ''] = /^(?:bytes )?(\d{1,15})-(\d{1,15})(?:\/(?:\d{1,15}|\*))?$/.exec(header) ?? []
  const [first, last] = [Number(begin), Number(end)]
  return begin !== '' && first <= last ? { first, last } : 'malformed'
}

/** Returns the header `Range` of an upload with `size` bytes; an upload without a byte has the range `0-0`. */
export const receivedRange = (size: number): string => `0-${Math.max(0, size - 1)}`
