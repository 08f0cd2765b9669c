import { LayerFault } from '../../../../domain/registry/scanning/inventory.ts'

/** The size of a block of a tar archive in bytes. */
export const blockSize = 512

/** The header of a tar archive, without what extended headers before it say. */
export interface TarHeader {
  /** One character: `0` for a file, or NUL in archives of V7. */
  readonly flag: string
  /** The bytes of the name as Latin 1, so that names of any encoding are kept. */
  readonly name: string
  /** The bytes of the target of a link as Latin 1. */
  readonly link: string
  readonly mode: number
  readonly size: number
  /** Whether further blocks with the map of a sparse file follow, in the old format of GNU. */
  readonly hasSparseBlocks: boolean
}

const field = {
  name: [0, 100],
  mode: [100, 108],
  size: [124, 136],
  checksum: [148, 156],
  link: [157, 257],
  magic: [257, 265],
  prefix: [345, 500],
  accessTime: [345, 357],
  changeTime: [357, 369],
  starPrefix: [345, 476],
  starTrailer: [508, 512],
} as const

/** Reads a header of the formats V7, USTAR, PAX, STAR or GNU, as Go's archive/tar does. Throws a `LayerFault`. */
export function readHeader(block: Buffer): TarHeader {
  // One text for all fields is far faster than one for each.
  const text = block.toString('latin1')
  if (!hasChecksum(block, text)) throw new LayerFault('unreadable', 'a header of the tar archive has a wrong checksum')
  const magic = text.slice(...field.magic)
  const prefix = prefixOf(block, text, magic)
  const name = keptText(block, text, field.name)
  return {
    flag: text.charAt(156),
    name: prefix === '' ? name : `${prefix}/${name}`,
    link: keptText(block, text, field.link),
    mode: numberOf(block, text, field.mode),
    size: numberOf(block, text, field.size),
    hasSparseBlocks: magic.startsWith('ustar ') && block[482] === 1,
  }
}

function prefixOf(block: Buffer, text: string, magic: string): string {
  if (magic.startsWith('ustar  ')) return prefixOfGnu(block, text)
  if (!magic.startsWith('ustar\0')) return ''
  const isStar = text.slice(...field.starTrailer) === 'tar\0'
  return textOf(text, isStar ? field.starPrefix : field.prefix)
}

/** In the format of GNU, times are in the place of the prefix. But an old version of Go wrote a prefix there. */
function prefixOfGnu(block: Buffer, text: string): string {
  const hasTimes = [field.accessTime, field.changeTime].every(
    time => block[time[0]] === 0 || (block[time[0]] ?? 0) >= 0x80 || /^[0-7]*$/.test(trimmed(text, time)),
  )
  const prefix = textOf(text, field.prefix)
  return hasTimes || /[^\0-\x7f]/.test(prefix) ? '' : prefix
}

function hasChecksum(block: Buffer, text: string): boolean {
  const expected = numberOf(block, text, field.checksum)
  // The sum takes the bytes of its own field as spaces.
  const own = block.subarray(...field.checksum)
  const unsigned = sumOf(block) - sumOf(own) + own.length * 0x20
  if (expected === unsigned) return true
  // Some old programs added the bytes as signed numbers.
  const negatives = highBytes(block) - highBytes(own)
  return expected === unsigned - negatives * 0x100
}

function sumOf(bytes: Buffer): number {
  let sum = 0
  for (const byte of bytes) sum += byte
  return sum
}

const highBytes = (bytes: Buffer): number => bytes.reduce((count, byte) => count + (byte >> 7), 0)

type Field = readonly [start: number, end: number]

/** Returns the text of a field up to its first NUL. */
function textOf(text: string, [start, end]: Field): string {
  const nul = text.indexOf('\0', start)
  return text.slice(start, nul < 0 || nul > end ? end : nul)
}

/** Returns the text of a field as a text of its own: a part of the text of the header would hold all of it in memory. */
function keptText(block: Buffer, text: string, of: Field): string {
  const { length } = textOf(text, of)
  return length === 0 ? '' : block.toString('latin1', of[0], of[0] + length)
}

/** Returns the text of a field without the spaces and NULs around it. */
const trimmed = (text: string, [start, end]: Field): string =>
  text
    .slice(start, end)
    .replace(/^[ \0]+|[ \0]+$/g, '')
    .replace(/\0[^]*$/, '')

/** Returns the number of a field: octal digits, or bytes of base 256 if the first bit is set. Throws a `LayerFault`. */
function numberOf(block: Buffer, text: string, of: Field): number {
  if ((block[of[0]] ?? 0) & 0x80) return binaryOf(block.subarray(...of))
  const digits = trimmed(text, of)
  if (!/^[0-7]*$/.test(digits)) throw malformedNumber()
  return digits === '' ? 0 : parseInt(digits, 8)
}

function binaryOf(bytes: Buffer): number {
  // The second bit is the sign.
  if ((bytes[0] ?? 0) & 0x40) throw malformedNumber()
  let value = (bytes[0] ?? 0) & 0x3f
  for (const byte of bytes.subarray(1)) value = value * 256 + byte
  if (!Number.isSafeInteger(value)) throw malformedNumber()
  return value
}

const malformedNumber = (): LayerFault =>
  new LayerFault('unreadable', 'a number in a header of the tar archive is negative, too large, or no number')
