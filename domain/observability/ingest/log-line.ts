/** The largest size of a line in bytes; longer lines are cut. */
export const maxLineBytes = 262_144

/** Returns a line of at most 256 KiB in UTF-8, which ends at the end of a character. */
export function cutLine(text: string): string {
  if (text.length * 3 <= maxLineBytes || Buffer.byteLength(text) <= maxLineBytes) return text
  const bytes = Buffer.from(text.slice(0, maxLineBytes), 'utf8')
  let end = Math.min(maxLineBytes, bytes.length)
  // The bytes after the first one of a character are 10xxxxxx.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return bytes.toString('utf8', 0, end)
}
