/** A part of a file that is loaded as memory that the program can write. */
export interface Segment {
  readonly start: number
  readonly end: number
}

/** The most bytes of the headers of a program that are read; the linker of Go needs 64 and 56 for each of ten segments. */
export const elfHeaderBytes = 4096

const loaded = 1
const writable = 2

/** Returns whether bytes begin an executable file of Linux (ELF). */
export const isElf = (bytes: Buffer): boolean => bytes.length >= 64 && bytes.toString('latin1', 0, 4) === '\x7fELF'

/** Returns the writable segments of an ELF file, of 32 or 64 bits and of either order of bytes, from its first bytes. */
export function writableSegments(bytes: Buffer): readonly Segment[] {
  const is64 = bytes[4] === 2
  const isLittle = bytes[5] === 1
  const u16 = (at: number): number => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at))
  const u32 = (at: number): number => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at))
  const u64 = (at: number): number => Number(isLittle ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at))
  const table = is64 ? u64(32) : u32(28)
  const size = u16(is64 ? 54 : 42)
  const count = u16(is64 ? 56 : 44)
  const found: Segment[] = []
  for (let i = 0; i < count; i++) {
    const at = table + i * size
    if (size < (is64 ? 56 : 32) || at + size > bytes.length) break
    const flags = u32(at + (is64 ? 4 : 24))
    const start = is64 ? u64(at + 8) : u32(at + 4)
    const length = is64 ? u64(at + 32) : u32(at + 16)
    if (u32(at) === loaded && (flags & writable) !== 0) found.push({ start, end: start + length })
  }
  return found
}
