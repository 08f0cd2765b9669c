import { LayerFault } from '../../../../domain/registry/scanning/inventory.ts'

/** The records of an extended header of PAX that matter here; names are bytes as Latin 1. */
export interface PaxRecords {
  readonly path?: string | undefined
  /** The name of a sparse file, whose `path` is made up. */
  readonly sparseName?: string | undefined
  readonly link?: string | undefined
  /** The number of bytes of the content in the archive. */
  readonly size?: number | undefined
  readonly isSparse: boolean
}

const space = 0x20
const newline = 0x0a

/**
 * Reads an extended header of PAX: records of the form `length name=value` and a newline (POSIX pax). An empty value stands
 * for no value. Throws a `LayerFault`.
 */
export function readPax(bytes: Buffer): PaxRecords {
  const records = new Map<string, string>()
  for (let start = 0; start < bytes.length;) {
    const end = start + lengthAt(bytes, start)
    const from = bytes.indexOf(space, start) + 1
    const equals = bytes.indexOf('=', from)
    if (end > bytes.length || equals < from || equals >= end || bytes[end - 1] !== newline) throw malformed()
    records.set(bytes.toString('latin1', from, equals), bytes.toString('latin1', equals + 1, end - 1))
    start = end
  }
  const textOf = (name: string): string | undefined => {
    const value = records.get(name)
    if (value?.includes('\0')) throw malformed()
    return value === '' ? undefined : value
  }
  const version = [records.get('GNU.sparse.major') ?? '', records.get('GNU.sparse.minor') ?? ''].join('.')
  const isSparse = sparseVersions.has(version) || (version === '.' && textOf('GNU.sparse.map') !== undefined)
  return {
    path: textOf('path'),
    sparseName: isSparse ? textOf('GNU.sparse.name') : undefined,
    link: textOf('linkpath'),
    size: sizeOf(textOf('size')),
    isSparse,
  }
}

/** The versions of sparse files in archives of PAX that GNU tar writes. */
const sparseVersions: ReadonlySet<string> = new Set(['0.0', '0.1', '1.0'])

/** Returns the length of the record at `start`: at most eight digits, and a space. */
function lengthAt(bytes: Buffer, start: number): number {
  const [, digits] = /^(\d{1,8}) /.exec(bytes.toString('latin1', start, start + 9)) ?? []
  // The shortest record is `5 a=` and a newline.
  if (digits === undefined || Number(digits) < 5) throw malformed()
  return Number(digits)
}

function sizeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text)) throw malformed()
  return Number(text)
}

const malformed = (): LayerFault => new LayerFault('unreadable', 'an extended header of the tar archive is malformed')
