import { changeColumn, runSql } from '../changed-bytes.ts'

/** Returns the content of a block, or a filter, in the form of the first version: without the numbers of the checksum. */
export function withoutChecksum(bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== 2) throw new Error('the bytes have no checksum')
  return bytes.slice(8)
}

/** Returns the streams of a block in the form of the first version: without their checksum. */
export const runsWithoutChecksum = (bytes: Uint8Array): Uint8Array => bytes.slice(4)

/** Gives a file of a day of logs, and all of its blocks and filters, the form of the first version. */
export function makeOlderLogs(file: string): void {
  changeColumn(file, 'blocks', 'runs', runsWithoutChecksum)
  changeColumn(file, 'contents', 'entries', withoutChecksum)
  changeColumn(file, 'filters', 'bits', withoutChecksum)
  runSql(file, 'PRAGMA user_version = 1')
}
