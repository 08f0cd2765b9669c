/** The bytes of a content that an answer has; both ends are included. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

/**
 * Returns the range that a header `Range` asks for, of a content with `size` bytes (RFC 9110 §14). Returns `whole` for a
 * header of another unit, a malformed header and several ranges, which a server may ignore, and `none` for a range
 * without any byte of the content.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | 'whole' | 'none' {
  const [, begin = '', end = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? []
  if (begin === '' && end === '') return 'whole'
  const first = begin === '' ? Math.max(0, size - Number(end)) : Number(begin)
  const last = begin === '' || end === '' ? size - 1 : Math.min(Number(end), size - 1)
  if (begin !== '' && end !== '' && Number(end) < first) return 'whole'
  return first < size && first <= last ? { first, last } : 'none'
}
