/** The first bytes of every PNG (ISO/IEC 15948, 5.2). */
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/**
 * The chunks that define the visible picture. All other chunks are removed: text (tEXt, zTXt, iTXt), camera data
 * (eXIf), times (tIME), private chunks, and the further frames of animations.
 */
const kept: ReadonlySet<string> = new Set([
  'IHDR',
  'PLTE',
  'IDAT',
  'IEND',
  'tRNS',
  'cHRM',
  'gAMA',
  'iCCP',
  'sBIT',
  'sRGB',
  'cICP',
  'bKGD',
  'pHYs',
])

/** The number of bytes of a chunk in addition to its data: length, type and checksum. */
const frame = 12
const headerLength = 13

/**
 * Removes the metadata of a PNG. Returns undefined for data that is not PNG, is truncated, or has an unknown critical
 * chunk.
 */
export function stripPng(data: Buffer): Buffer | undefined {
  if (!data.subarray(0, signature.length).equals(signature)) return undefined
  const parts: Buffer[] = [signature]
  const seen = new Set<string>()
  let at = signature.length
  while (at + frame <= data.length) {
    const length = data.readUInt32BE(at)
    const type = data.toString('latin1', at + 4, at + 8)
    const end = at + frame + length
    if (end > data.length || !mayFollow(type, length, seen)) return undefined
    if (kept.has(type)) parts.push(data.subarray(at, end))
    seen.add(type)
    at = end
    // Bytes after the IEND chunk do not belong to the picture.
    if (type === 'IEND') return seen.has('IDAT') ? Buffer.concat(parts) : undefined
  }
  return undefined
}

/**
 * Returns whether a chunk may follow the chunks in `seen`. The header must come first and only once. A critical chunk,
 * whose type begins with an upper-case letter, must have a known type.
 */
function mayFollow(type: string, length: number, seen: ReadonlySet<string>): boolean {
  if (!/^[A-Za-z]{4}$/.test(type)) return false
  if (type === 'IHDR') return seen.size === 0 && length === headerLength
  const isCritical = /^[A-Z]/.test(type)
  return seen.has('IHDR') && (!isCritical || kept.has(type)) && (type !== 'IEND' || length === 0)
}
