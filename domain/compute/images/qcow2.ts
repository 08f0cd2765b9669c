/** The facts of the header of a qcow2 file (docs/interop/qcow2.txt of QEMU). */
export interface Qcow2Header {
  readonly virtualBytes: number
  /** Whether the file needs other files: a backing file or an external data file. */
  readonly hasOtherFiles: boolean
  readonly isEncrypted: boolean
  /** Whether the file is too short for its header, or for the table that the header names. */
  readonly isTruncated: boolean
}

/** The number of bytes at the start of a file that `qcow2HeaderOf` needs. */
export const headerBytes = 80

/**
 * Returns the facts of a file of `bytes` bytes that begins with `start`; undefined for a file of another format. `start`
 * has 80 bytes, or all bytes of a shorter file.
 */
export function qcow2HeaderOf(start: Uint8Array, bytes: number): Qcow2Header | undefined {
  const header = Buffer.alloc(headerBytes)
  header.set(start.subarray(0, headerBytes))
  if (header.toString('latin1', 0, 4) !== 'QFI\u00fb') return undefined
  // Bit 2 of the incompatible features of version 3 marks an external data file.
  const hasDataFile = header.readUInt32BE(4) >= 3 && (header.readUInt8(79) & 4) !== 0
  const tableEnd = Number(header.readBigUInt64BE(40)) + 8 * header.readUInt32BE(36)
  return {
    virtualBytes: Number(header.readBigUInt64BE(24)),
    hasOtherFiles: header.readBigUInt64BE(8) !== 0n || hasDataFile,
    isEncrypted: header.readUInt32BE(32) !== 0,
    isTruncated: bytes < headerBytes || tableEnd > bytes,
  }
}
