const SOI = 0xd8
const EOI = 0xd9
const SOS = 0xda
const APP0 = 0xe0
const APP2 = 0xe2
const APP14 = 0xee

/** The markers of the frame headers of baseline, extended and progressive pictures, which browsers can show. */
const frameHeaders: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2])

/**
 * The markers of tables, restart interval and number of lines, which a decoder needs in addition to frames and scans.
 */
const tables: ReadonlySet<number> = new Set([0xc4, 0xcc, 0xdb, 0xdc, 0xdd])

/** Returns whether a marker begins an APPn segment or a comment, neither of which a decoder needs. */
const isApplication = (marker: number): boolean => (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe

const markerOf = (byte: number): Buffer => Buffer.from([0xff, byte])

interface Segment {
  readonly marker: number
  /** The bytes after the marker: the length of the segment in two bytes, and the data. */
  readonly body: Buffer
  readonly end: number
}

/**
 * Removes EXIF, XMP, IPTC, comments, thumbnails and trailing bytes from a JPEG (ITU T.81). Returns undefined for data
 * that is not JPEG, is truncated, or has a structure that browsers do not show.
 */
export function stripJpeg(data: Buffer): Buffer | undefined {
  if (data[0] !== 0xff || data[1] !== SOI) return undefined
  const parts: Buffer[] = [markerOf(SOI)]
  let frames = 0
  let scans = 0
  let at = 2
  for (;;) {
    const start = markerAt(data, at)
    const marker = start === undefined ? undefined : data[start]
    if (start === undefined || marker === undefined) return undefined
    if (marker === EOI) return scans > 0 ? Buffer.concat([...parts, markerOf(EOI)]) : undefined
    const segment = segmentAt(data, start, marker)
    if (segment === undefined) return undefined
    if (frameHeaders.has(marker)) frames += 1
    else if (marker === SOS) scans += 1
    else if (!tables.has(marker) && !isApplication(marker)) return undefined
    // Only the first frame is measured. A second frame could be larger, so a JPEG with two frames is refused.
    if (frames > 1 || (scans > 0 && frames === 0)) return undefined
    const body = keptBody(segment)
    if (body) parts.push(markerOf(marker), body)
    at = marker === SOS ? endOfScan(data, segment.end) : segment.end
    if (marker === SOS) parts.push(data.subarray(segment.end, at))
  }
}

/**
 * Returns the position of the second byte of a marker, after any number of fill bytes; undefined if there is no marker.
 */
function markerAt(data: Buffer, from: number): number | undefined {
  if (data[from] !== 0xff) return undefined
  let at = from + 1
  while (data[at] === 0xff) at += 1
  return at
}

function segmentAt(data: Buffer, start: number, marker: number): Segment | undefined {
  if (start + 3 > data.length) return undefined
  const length = data.readUInt16BE(start + 1)
  const end = start + 1 + length
  if (length < 2 || end > data.length) return undefined
  return { marker, body: data.subarray(start + 1, end), end }
}

/**
 * Returns the end of the coded data of a scan: the position of the next marker that is neither a stuffed byte nor a
 * restart marker.
 */
function endOfScan(data: Buffer, from: number): number {
  let at = data.indexOf(0xff, from)
  while (at >= 0) {
    const next = data[at + 1] ?? 0
    if (next !== 0 && !(next >= 0xd0 && next <= 0xd7)) return at
    at = data.indexOf(0xff, at + 2)
  }
  return data.length
}

/**
 * Returns the body of a segment to keep; undefined for a segment to remove. Of the application segments, JFIF (without
 * its thumbnail), the ICC profile and the Adobe segment are kept, because they define colours.
 */
function keptBody({ body, marker }: Segment): Buffer | undefined {
  if (!isApplication(marker)) return body
  const says = (name: string): boolean => body.subarray(2).toString('latin1', 0, name.length) === name
  if (marker === APP2 && says('ICC_PROFILE\0')) return body
  if (marker === APP14 && says('Adobe')) return body
  return marker === APP0 && says('JFIF\0') && body.length >= 16 ? withoutThumbnail(body) : undefined
}

/**
 * Returns a JFIF body without its thumbnail. The last two of its first 16 bytes are the sides of the thumbnail; the
 * thumbnail follows.
 */
function withoutThumbnail(body: Buffer): Buffer {
  const plain = Buffer.from(body.subarray(0, 16))
  plain.writeUInt16BE(plain.length, 0)
  plain.writeUInt16BE(0, 14)
  return plain
}

/**
 * Returns a JPEG of the same size for image-size, which skips the first segment: an empty comment is inserted at the
 * start.
 */
export const measuredJpeg = (stripped: Buffer): Buffer =>
  Buffer.concat([stripped.subarray(0, 2), Buffer.from([0xff, 0xfe, 0, 2]), stripped.subarray(2)])
