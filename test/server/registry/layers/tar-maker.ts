/** An entry of a tar archive that a test makes. */
export interface MadeEntry {
  readonly name: string | Buffer
  readonly content?: string | Buffer
  /** The flag of the kind; `0`, a file, without it. */
  readonly flag?: string
  readonly link?: string
  readonly mode?: number
  /** The raw 12 bytes of the size, or the number that the header names in place of the size of the content. */
  readonly size?: number | Buffer
  /** The magic and the version; USTAR without it. */
  readonly magic?: string
  readonly prefix?: string
  /** Changes the header before its checksum is made. */
  readonly change?: (header: Buffer) => void
}

/** Returns a tar archive with its end. */
export const tarOf = (...entries: readonly MadeEntry[]): Buffer =>
  Buffer.concat([...entries.map(entryOf), Buffer.alloc(1024)])

/** Returns an entry: its header and its content, filled up to whole blocks. */
export function entryOf(entry: MadeEntry): Buffer {
  const content = Buffer.from(entry.content ?? '')
  return Buffer.concat([headerOf(entry), content, Buffer.alloc((512 - (content.length % 512)) % 512)])
}

/** Returns the header of an entry. */
export function headerOf(entry: MadeEntry): Buffer {
  const {
    change,
    content = '',
    flag = '0',
    link = '',
    magic = 'ustar\u000000',
    mode = 0o644,
    name,
    prefix = '',
  } = entry
  const { size = Buffer.byteLength(content) } = entry
  const header = Buffer.alloc(512)
  Buffer.from(name).copy(header, 0, 0, 100)
  header.write(octal(mode, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  if (typeof size === 'number') header.write(octal(size, 11), 124)
  else size.copy(header, 124, 0, 12)
  header.write(octal(0, 11), 136)
  header.write(flag, 156)
  header.write(link, 157, 100)
  header.write(magic, 257, 'latin1')
  header.write(prefix, 345, 155)
  change?.(header)
  return withChecksum(header)
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')

function withChecksum(header: Buffer): Buffer {
  header.fill(0x20, 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)}\0 `, 148)
  return header
}

/** Returns an entry with the records of PAX for the next entry. */
export const paxOf = (records: Readonly<Record<string, string>>, flag = 'x'): MadeEntry => ({
  name: 'PaxHeaders/0',
  flag,
  content: Buffer.concat(Object.entries(records).map(([name, value]) => paxRecord(name, value))),
})

function paxRecord(name: string, value: string): Buffer {
  const rest = Buffer.from(` ${name}=${value}\n`)
  let length = rest.length + 1
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length
  return Buffer.concat([Buffer.from(String(length)), rest])
}

/** Returns an entry of GNU with a long name, or with a long link, for the next entry. */
export const gnuLong = (text: string, flag: 'K' | 'L' = 'L'): MadeEntry => ({
  name: '././@LongLink',
  flag,
  magic: 'ustar  \0',
  content: `${text}\0`,
})
