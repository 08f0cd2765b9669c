/** A part of a file that is loaded as memory that the program can write. */
export interface Segment {
  readonly start: number
  readonly end: number
}

/** The facts in the first bytes of a program. */
export interface ProgramHeaders {
  /** The parts in which Go puts its build info. */
  readonly writable: readonly Segment[]
  /** Whether a section has the name by which cargo-auditable marks a list of crates; undefined if the end of the file says it. */
  readonly hasCrates: boolean | undefined
}

/**
 * The most bytes of the headers of a program that are read; the linker of Go needs 64 and 56 for each of ten segments on
 * Linux, and 1,024 on Windows.
 */
export const headerBytes = 4096

/** The name of the section of the list of crates. */
export const cratesSection = '.dep-v0'

/** Returns what the first bytes of a file say; undefined unless they begin a program of Linux (ELF) or Windows (PE). */
export function headersOf(bytes: Buffer): ProgramHeaders | undefined {
  if (bytes.length >= 64 && bytes.toString('latin1', 0, 4) === '\x7fELF')
    return { writable: writableSegments(bytes), hasCrates: undefined }
  const start = bytes.length >= 64 && bytes.toString('latin1', 0, 2) === 'MZ' ? bytes.readUInt32LE(60) : bytes.length
  if (start + 24 > bytes.length || bytes.toString('latin1', start, start + 4) !== 'PE\0\0') return undefined
  return sectionsOf(bytes, start)
}

const loaded = 1
const writable = 2

/** Returns the writable segments of an ELF file, of 32 or 64 bits and of either order of bytes. */
function writableSegments(bytes: Buffer): readonly Segment[] {
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

const sectionBytes = 40
const initialised = 0x40
/** The flag of a writable section, in the highest byte of the flags. */
const writableByte = 0x80

/** Returns the headers of a PE file whose signature stands at `start`. */
function sectionsOf(bytes: Buffer, start: number): ProgramHeaders {
  const count = bytes.readUInt16LE(start + 6)
  const table = start + 24 + bytes.readUInt16LE(start + 20)
  const found: Segment[] = []
  let hasCrates = false
  for (let i = 0; i < count; i++) {
    const at = table + i * sectionBytes
    if (at + sectionBytes > bytes.length) break
    if (bytes.toString('latin1', at, at + 8) === `${cratesSection}\0`) hasCrates = true
    const place = bytes.readUInt32LE(at + 20)
    const isWritable = ((bytes[at + 36] ?? 0) & initialised) !== 0 && ((bytes[at + 39] ?? 0) & writableByte) !== 0
    if (isWritable) found.push({ start: place, end: place + bytes.readUInt32LE(at + 16) })
  }
  return { writable: found, hasCrates }
}
