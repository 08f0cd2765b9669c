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
  starPrefix: [345, 476],
  starTrailer: [508, 512],
} as const

/** Reads a header of the formats V7, USTAR, PAX, STAR or GNU, as Go's archive/tar does. Throws a `LayerFault`. */
export function readHeader(block: Buffer): TarHeader {
  if (!hasChecksum(block)) throw new LayerFault('unreadable', 'a header of the tar archive has a wrong checksum')
  const magic = block.toString('latin1', ...field.magic)
  const prefix = prefixOf(block, magic)
  const name = textOf(block, field.name)
  return {
    flag: block.toString('latin1', 156, 157),
    name: prefix === '' ? name : `${prefix}/${name}`,
    link: textOf(block, field.link),
    mode: numberOf(block, field.mode),
    size: numberOf(block, field.size),
    hasSparseBlocks: magic.startsWith('ustar ') && block[482] === 1,
  }
}

function prefixOf(block: Buffer, magic: string): string {
  if (!magic.startsWith('ustar\0')) return ''
  const isStar = block.toString('latin1', ...field.starTrailer) === 'tar\0'
  return textOf(block, isStar ? field.starPrefix : field.prefix)
}

/** Some old programs added the bytes of the header as signed numbers. */
function hasChecksum(block: Buffer): boolean {
  const [start, end] = field.checksum
  let unsigned = 0
  let signed = 0
  for (let i = 0; i < blockSize; i++) {
    const byte = i >= start && i < end ? 0x20 : (block[i] ?? 0)
    unsigned += byte
    signed += byte < 0x80 ? byte : byte - 0x100
  }
  const sum = numberOf(block, field.checksum)
  return sum === unsigned || sum === signed
}

/** Returns the text of a field up to its first NUL. */
function textOf(block: Buffer, [start, end]: readonly [number, number]): string {
  const nul = block.subarray(start, end).indexOf(0)
  return block.toString('latin1', start, nul < 0 ? end : start + nul)
}

/** Returns the number of a field: octal digits, or bytes of base 256 if the first bit is set. Throws a `LayerFault`. */
function numberOf(block: Buffer, [start, end]: readonly [number, number]): number {
  if ((block[start] ?? 0) & 0x80) return binaryOf(block.subarray(start, end))
  const text = textOf(block, [start, end]).trim()
  if (!/^[0-7]*$/.test(text)) throw malformedNumber()
  return text === '' ? 0 : parseInt(text, 8)
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
