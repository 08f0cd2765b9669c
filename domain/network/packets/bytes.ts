/** Returns the 16-bit integer at an offset, in network byte order. Bytes behind the end of the array count as 0. */
export const read16 = (bytes: Uint8Array, at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)

/** Returns the 32-bit integer at an offset as a signed number, in network byte order. */
export const read32 = (bytes: Uint8Array, at: number): number => (read16(bytes, at) << 16) | read16(bytes, at + 2)

/** Writes a 16-bit integer in network byte order. */
export function write16(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 8
  bytes[at + 1] = value
}

/** Writes a 32-bit integer, signed or unsigned, in network byte order. */
export function write32(bytes: Uint8Array, at: number, value: number): void {
  write16(bytes, at, (value >>> 16) & 0xffff)
  write16(bytes, at + 2, value & 0xffff)
}
