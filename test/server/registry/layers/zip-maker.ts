import { crc32 } from 'node:zlib'

/** A file of a zip archive that a test makes. */
export interface MadeZipEntry {
  readonly name: string
  /** The content as it stands in the archive. */
  readonly content: Buffer
  /** 0 for content that is stored, 8 for deflated content. */
  readonly method?: number
  /** The size that the archive names for the unpacked content. */
  readonly size?: number
}

/** Returns a zip archive. */
export function zipOf(...entries: readonly MadeZipEntry[]): Buffer {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const { content, method = 0, name, size = content.length } of entries) {
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(method, 4)
    fields.writeUInt32LE(method === 0 ? crc32(content) : 0, 10)
    fields.writeUInt32LE(content.length, 14)
    fields.writeUInt32LE(size, 18)
    fields.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), content])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    central.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), fields, rest, Buffer.from(name)]))
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), end])
}
