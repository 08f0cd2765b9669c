import { text } from 'node:stream/consumers'
import { openPromise } from 'yauzl'

/** The most entries of an archive, and the most bytes of its unpacked records. */
const maxEntries = 4_000_000
const maxUnpacked = 16 * 1024 ** 3

/**
 * Yields the texts of the entries `*.json` of an archive; undefined for an entry of more than `maxBytes`, which is not
 * unpacked. The name of an entry is no path here. Throws for a damaged archive, and for one that unpacks to too much.
 */
export async function* readArchive(file: string, maxBytes: number): AsyncGenerator<string | undefined> {
  // Without names, an archive with a name that leaves the archive is read like any other.
  const archive = await openPromise(file, { decodeStrings: false, autoClose: false })
  try {
    let unpacked = 0
    if (archive.entryCount > maxEntries) throw new Error(`the archive has more than ${maxEntries} entries`)
    for await (const entry of archive.eachEntry()) {
      if (!entry.fileNameRaw.toString('latin1').endsWith('.json')) continue
      if (entry.uncompressedSize > maxBytes) {
        yield undefined
        continue
      }
      unpacked += entry.uncompressedSize
      if (unpacked > maxUnpacked) throw new Error(`the archive unpacks to more than ${maxUnpacked} bytes`)
      // The stream fails once it has more bytes than the entry says.
      yield await text(await archive.openReadStreamPromise(entry))
    }
  } finally {
    archive.close()
  }
}
