import { inflateRawSync } from 'node:zlib'
import { fromRandomAccessReaderPromise, type Entry, type ZipFile } from 'yauzl'
import { ArchiveFile } from './archive-file.ts'

/** The most entries of an archive, and the most bytes of its unpacked records. */
const maxEntries = 4_000_000
const maxUnpacked = 16 * 1024 ** 3

/** The methods of compression: none, and deflate. */
const stored = 0
const deflated = 8

/**
 * Yields the texts of the entries `*.json` of an archive; undefined for an entry of more than `maxBytes`, which is not
 * unpacked. The name of an entry is no path here. Throws for a damaged archive, and for one that unpacks to too much.
 */
export async function* readArchive(path: string, maxBytes: number): AsyncGenerator<string | undefined> {
  const file = new ArchiveFile(path)
  try {
    // Names are not checked, so an archive with a name that leaves the archive is read like any other.
    const archive = await fromRandomAccessReaderPromise(file, file.size, { decodeStrings: false, autoClose: false })
    if (archive.entryCount > maxEntries) throw new Error(`the archive has more than ${maxEntries} entries`)
    let unpacked = 0
    for await (const entry of archive.eachEntry()) {
      if (!entry.fileNameRaw.toString('latin1').endsWith('.json')) continue
      const isLong = entry.uncompressedSize > maxBytes || entry.compressedSize > maxBytes
      if (!isLong) unpacked += entry.uncompressedSize
      if (unpacked > maxUnpacked) throw new Error(`the archive unpacks to more than ${maxUnpacked} bytes`)
      yield isLong ? undefined : await textOf(file, archive, entry)
    }
  } finally {
    file.end()
  }
}

async function textOf(file: ArchiveFile, archive: ZipFile, entry: Entry): Promise<string> {
  const { compressedSize, compressionMethod, uncompressedSize } = entry
  if (entry.isEncrypted()) throw new Error('the archive is encrypted')
  const { fileDataStart } = await archive.readLocalFileHeaderPromise(entry, { minimal: true })
  const packed = file.bytes(fileDataStart, compressedSize)
  if (compressionMethod !== stored && compressionMethod !== deflated) {
    throw new Error(`the archive is compressed by the unknown method ${compressionMethod}`)
  }
  // One more byte than the entry says is unpacked at most.
  const bytes =
    compressionMethod === stored ? packed : inflateRawSync(packed, { maxOutputLength: uncompressedSize + 1 })
  if (bytes.length !== uncompressedSize) throw new Error('an entry of the archive has another size than it says')
  return bytes.toString()
}
