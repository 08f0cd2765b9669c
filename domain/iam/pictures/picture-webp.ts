import { sidesOf, type Sides } from './picture-sides.ts'

/** The chunks that define the visible picture; EXIF, XMP and unknown chunks are removed. */
const kept: ReadonlySet<string> = new Set(['VP8X', 'VP8 ', 'VP8L', 'ALPH', 'ICCP', 'ANIM', 'ANMF'])

/** The chunks that a frame of an animation may contain. */
const keptInFrame: ReadonlySet<string> = new Set(['ALPH', 'VP8 ', 'VP8L'])

/** The bits of VP8X that announce XMP and EXIF chunks. */
const metadataBits = 0b0000_1100

/** The number of bytes for position, size, duration and flags of a frame. */
const frameHeader = 16
const extendedLength = 10

interface Chunk {
  readonly type: string
  readonly body: Buffer
}

/**
 * Removes the metadata of a WebP (RFC 9649). Returns undefined for data that is not WebP, is truncated, or has frames
 * larger than the canvas in its header.
 */
export function stripWebp(data: Buffer): Buffer | undefined {
  if (data.length < 12 || data.toString('latin1', 0, 4) !== 'RIFF') return undefined
  if (data.toString('latin1', 8, 12) !== 'WEBP') return undefined
  const end = 8 + data.readUInt32LE(4)
  if (end > data.length) return undefined
  const chunks = chunksOf(data.subarray(12, end))
  const first = chunks?.[0]
  if (chunks === undefined || first === undefined) return undefined
  if (first.type !== 'VP8X') return isImage(first) ? riff([first]) : undefined
  if (first.body.length !== extendedLength) return undefined
  const stripped = chunks.filter(({ type }) => kept.has(type)).map(withoutMetadata)
  const whole = stripped.every(chunk => chunk !== undefined) ? stripped : undefined
  return whole && areWithin(canvasOf(first.body), whole) ? riff(whole) : undefined
}

/** Splits data into chunks. Returns undefined if a chunk is longer than its container. */
function chunksOf(data: Buffer): readonly Chunk[] | undefined {
  const chunks: Chunk[] = []
  let at = 0
  while (at < data.length) {
    if (at + 8 > data.length) return undefined
    const end = at + 8 + data.readUInt32LE(at + 4)
    if (end > data.length) return undefined
    chunks.push({ type: data.toString('latin1', at, at + 4), body: data.subarray(at + 8, end) })
    // Chunks are padded to even lengths; the padding of the last chunk may be missing.
    at = end + (end % 2)
  }
  return chunks
}

function withoutMetadata({ body, type }: Chunk): Chunk | undefined {
  if (type === 'VP8X') {
    const plain = Buffer.from(body)
    plain.writeUInt8(plain.readUInt8(0) & ~metadataBits, 0)
    return { type, body: plain }
  }
  if (type !== 'ANMF') return { type, body }
  const inner = chunksOf(body.subarray(frameHeader))
  if (body.length < frameHeader || inner === undefined) return undefined
  const stripped = inner.filter(each => keptInFrame.has(each.type))
  return { type, body: Buffer.concat([body.subarray(0, frameHeader), ...stripped.map(written)]) }
}

/** Returns the size of the canvas. The header stores each side minus 1 in three bytes. */
const canvasOf = (body: Buffer): Sides => ({ width: body.readUIntLE(4, 3) + 1, height: body.readUIntLE(7, 3) + 1 })

/** Returns whether there is at least one image, and each image fits into the canvas. */
function areWithin({ height, width }: Sides, chunks: readonly Chunk[]): boolean {
  const frames = chunks.filter(({ type }) => type === 'ANMF')
  const inner = frames.flatMap(({ body }) => chunksOf(body.subarray(frameHeader)) ?? [])
  const images = [...chunks, ...inner].filter(isImage)
  if (images.length === 0) return false
  return images.every(image => {
    // Each image is wrapped into a file, so that `sidesOf` can measure the image.
    const sides = sidesOf(riff([image]))
    return sides !== undefined && sides.width <= width && sides.height <= height
  })
}

const isImage = ({ type }: Chunk): boolean => type === 'VP8 ' || type === 'VP8L'

function riff(chunks: readonly Chunk[]): Buffer {
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), ...chunks.map(written)])
  return written({ type: 'RIFF', body })
}

function written({ body, type }: Chunk): Buffer {
  const head = Buffer.alloc(8)
  head.write(type, 'latin1')
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)])
}
