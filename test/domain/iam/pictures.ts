/** This module makes pictures by hand. The code under test never decodes a picture, so the image data is arbitrary. */

interface Sides {
  readonly width: number
  readonly height: number
}

export const usual: Sides = { width: 64, height: 32 }

/** Metadata that must be removed: the coordinates of a place. */
export const secret = 'GPS 53.349805 -6.26031'

const bytes = (...parts: readonly (Buffer | string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))))

const uint32 = (value: number): Buffer => {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32BE(value)
  return buffer
}

const uint32Le = (value: number): Buffer => {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32LE(value)
  return buffer
}

const uint16 = (value: number): Buffer => uint32(value).subarray(2)

const uint16Le = (value: number): Buffer => uint32Le(value).subarray(0, 2)

export const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex')

/** Returns a PNG chunk with its length, by default the true length, and an arbitrary checksum. */
export const pngChunk = (type: string, body: Buffer | string = '', length = body.length): Buffer =>
  bytes(uint32(length), type, typeof body === 'string' ? body : [...body], 'CRC.')

export const pngHeader = ({ height, width }: Sides = usual): Buffer =>
  pngChunk('IHDR', bytes(uint32(width), uint32(height), [8, 6, 0, 0, 0]))

const pngPixels = pngChunk('IDAT', 'pixels')
const pngEnd = pngChunk('IEND')

export const png = (...between: readonly Buffer[]): Buffer =>
  bytes(pngSignature, pngHeader(), ...between, pngPixels, pngEnd)

export const pngOf = (sides: Sides): Buffer => bytes(pngSignature, pngHeader(sides), pngPixels, pngEnd)

/** Returns a JPEG segment with its length, by default the true length. */
export const jpegSegment = (marker: number, body: Buffer | string, length = body.length + 2): Buffer =>
  bytes([0xff, marker], uint16(length), typeof body === 'string' ? body : [...body])

export const jpegFrame = ({ height, width }: Sides = usual, marker = 0xc0): Buffer =>
  jpegSegment(marker, bytes([8], uint16(height), uint16(width), [1, 1, 0x11, 0]))

/** A scan whose data contains stuffed bytes and restart markers; neither ends the scan. */
const jpegScan = bytes(jpegSegment(0xda, bytes([1, 1, 0, 0, 63, 0])), 'coded', [0xff, 0x00, 0xff, 0xd3], 'more')

export const jpegStart = Buffer.from([0xff, 0xd8])
export const jpegEnd = Buffer.from([0xff, 0xd9])

export const jfif = (thumbnail: Buffer = Buffer.alloc(0), side = 0): Buffer =>
  jpegSegment(0xe0, bytes('JFIF\0', [1, 2, 0, 0, 1, 0, 1, side, side], thumbnail))

export const jpeg = (...between: readonly Buffer[]): Buffer =>
  bytes(jpegStart, jfif(), ...between, jpegSegment(0xdb, 'table'), jpegFrame(), jpegScan, jpegEnd)

export const jpegOf = (sides: Sides, marker?: number): Buffer =>
  bytes(jpegStart, jpegFrame(sides, marker), jpegScan, jpegEnd)

export const webpChunk = (type: string, body: Buffer | string, length = body.length): Buffer =>
  bytes(type, uint32Le(length), typeof body === 'string' ? body : [...body], Buffer.alloc(body.length % 2))

export const webp = (...chunks: readonly Buffer[]): Buffer => webpChunk('RIFF', bytes('WEBP', ...chunks))

export const lossy = ({ height, width }: Sides = usual): Buffer =>
  webpChunk('VP8 ', bytes([0x30, 1, 0, 0x9d, 1, 0x2a], uint16Le(width), uint16Le(height), 'data'))

export const lossless = ({ height, width }: Sides = usual): Buffer => {
  const bits = (width - 1) | ((height - 1) << 14)
  return webpChunk('VP8L', bytes([0x2f], uint32Le(bits >>> 0), 'data!'))
}

const uint24Le = (value: number): Buffer => uint32Le(value).subarray(0, 3)

/** Returns an extended WebP header, by default with all flags except the flag of animations. */
export const extended = ({ height, width }: Sides = usual, flags = 0b0011_1100): Buffer =>
  webpChunk('VP8X', bytes([flags, 0, 0, 0], uint24Le(width - 1), uint24Le(height - 1)))

export const animationFrame = (...chunks: readonly Buffer[]): Buffer =>
  webpChunk('ANMF', bytes(Buffer.alloc(16), ...chunks))
