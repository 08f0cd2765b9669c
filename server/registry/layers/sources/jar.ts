import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl'
import { LayerFault } from '../../../../domain/registry/scanning/inventory.ts'
import { readPomProperties } from '../../../../domain/registry/scanning/sources/maven.ts'
import { longestSource } from '../../../../domain/registry/scanning/sources/source-files.ts'
import { unreadable } from '../../../../domain/registry/scanning/sources/source-package.ts'
import type { PartReading } from '../tree/nodes.ts'

/** How deep jars in jars are read: a jar of a web archive of an enterprise archive. */
const deepest = 2
/** The most entries of a jar. */
const mostEntries = 200_000
const longestProperties = 65_536

const pomProperties = /^META-INF\/maven\/[^/]+\/[^/]+\/pom\.properties$/
const innerJar = /\.(?:jar|war)$/i

/**
 * Reads the properties that Maven leaves in a jar, and those of the jars in it. `count` is told the bytes before they are
 * unpacked, and throws if they are too many.
 */
export async function readJar(
  bytes: Buffer,
  count: (bytes: number) => void,
  part = '',
  depth = 0,
): Promise<readonly PartReading[]> {
  try {
    const zip = await fromBufferPromise(bytes, { validateEntrySizes: true })
    return await partsOf(zip, count, part, depth)
  } catch (error) {
    if (error instanceof LayerFault) throw error
    return [{ part, reading: unreadable('jar that cannot be unpacked') }]
  }
}

async function partsOf(
  zip: ZipFile,
  count: (bytes: number) => void,
  part: string,
  depth: number,
): Promise<readonly PartReading[]> {
  if (zip.entryCount > mostEntries) return [{ part, reading: unreadable('jar with too many entries') }]
  const found: PartReading[] = []
  let hasProperties = false
  for await (const entry of zip.eachEntry()) {
    const { fileName } = entry
    if (pomProperties.test(fileName)) {
      hasProperties = true
      const text = await contentOf(zip, entry, longestProperties, count)
      found.push({
        part,
        reading: text === undefined ? tooLarge('pom.properties') : readPomProperties(text.toString('utf8')),
      })
    } else if (innerJar.test(fileName)) {
      const inner = part === '' ? fileName : `${part}!/${fileName}`
      const content = depth < deepest ? await contentOf(zip, entry, longestSource('jar'), count) : undefined
      if (content === undefined) found.push({ part: inner, reading: tooLarge('jar in a jar') })
      else found.push(...(await readJar(content, count, inner, depth + 1)))
    }
  }
  if (!hasProperties) found.push({ part, reading: unreadable('jar without pom.properties') })
  return found
}

const tooLarge = (what: string) => unreadable(`${what} that is too large or too deep`)

/** Returns the content of an entry; undefined if it has more than `most` bytes. */
async function contentOf(
  zip: ZipFile,
  entry: Entry,
  most: number,
  count: (bytes: number) => void,
): Promise<Buffer | undefined> {
  if (entry.uncompressedSize > most) return undefined
  count(entry.uncompressedSize)
  const stream = await zip.openReadStreamPromise(entry)
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(piece)
  return Buffer.concat(pieces)
}
