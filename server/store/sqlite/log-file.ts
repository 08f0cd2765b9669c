import { closeSync, openSync, readSync } from 'node:fs'

/** The end of the readable part of a log, and the lost transactions behind it. */
export interface LogDamage {
  /** The first byte that SQLite does not read. */
  readonly offset: number
  /**
   * The number of committed transactions behind the offset, at least two; undefined if no part of the log is readable.
   */
  readonly lost: number | undefined
}

/** The most transactions after one another whose commits need not wait for the disk (decision 25). */
export const mostUnsaved = 32

const headerSize = 32
const frameHeaderSize = 24

/**
 * Returns the damage of a log (sqlite.org/fileformat2.html §4) with committed transactions that SQLite drops because an
 * earlier part is damaged; undefined without such a damage. After a mere crash there is none: at most the last
 * transaction is incomplete. A server may write the log concurrently, so a second scan must confirm the damage.
 */
export function logDamage(file: string): LogDamage | undefined {
  const first = scanned(file)
  const second = first && scanned(file)
  const isSame = first?.offset === second?.offset && first?.header === second?.header
  return isSame ? second : undefined
}

type Scan = LogDamage & { readonly header: string }

function scanned(file: string): Scan | undefined {
  const descriptor = openSync(file, 'r')
  try {
    return scan((buffer, offset) => readSync(descriptor, buffer, 0, buffer.length, offset))
  } finally {
    closeSync(descriptor)
  }
}

function scan(read: (buffer: Buffer, offset: number) => number): Scan | undefined {
  const header = Buffer.alloc(headerSize)
  if (read(header, 0) < headerSize) return undefined
  const sum = checksum(header)
  sum.add(header.subarray(0, 24))
  const shown = header.toString('hex')
  if (!sum.isAt(header, 24)) return { offset: 0, lost: undefined, header: shown }
  const frame = Buffer.alloc(frameHeaderSize + header.readUInt32BE(8))
  let broken: number | undefined
  let lost = 0
  let isUnwritten = false
  for (let offset = headerSize; read(frame, offset) === frame.length; offset += frame.length) {
    const isOfLog = frame.compare(header, 16, 24, 8, 16) === 0
    if (broken === undefined) {
      sum.add(frame.subarray(0, 8))
      sum.add(frame.subarray(frameHeaderSize))
      if (!isOfLog || !sum.isAt(frame, 16)) broken = offset
    }
    const isCommit = frame.readUInt32BE(4) > 0
    if (broken !== undefined && offset > broken && isOfLog && isCommit) lost += 1
    if (broken !== undefined && offset <= broken + frame.length && !isOfLog) isUnwritten = true
  }
  // A crash of the machine leaves out pages of the last commits, in any order: a page has the begin of a frame, which is
  // then no part of this log. Of two commits that wait for the disk, the first was complete.
  const isOfCrash = lost < 2 || (isUnwritten && lost <= mostUnsaved + 1)
  return broken === undefined || isOfCrash ? undefined : { offset: broken, lost, header: shown }
}

/** Returns a running checksum of a log, whose byte order is in the first four bytes of its header. */
function checksum(header: Buffer) {
  const isBigEndian = (header.readUInt32BE(0) & 1) === 1
  let [a, b] = [0, 0]
  return {
    add(bytes: Buffer): void {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
      for (let i = 0; i < bytes.length; i += 8) {
        a = (a + view.getUint32(i, !isBigEndian) + b) >>> 0
        b = (b + view.getUint32(i + 4, !isBigEndian) + a) >>> 0
      }
    },
    isAt: (bytes: Buffer, offset: number): boolean =>
      bytes.readUInt32BE(offset) === a && bytes.readUInt32BE(offset + 4) === b,
  }
}
