import { createHash } from 'node:crypto'
import { rm, open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Collection, Stored } from '../../../domain/ports/store.ts'
import { safeKeys } from '../../../domain/vault/seal/seal-store.ts'
import { isRecord } from '../../../runtime/validation.ts'
import type { StoreSnapshot } from '../../store/snapshot.ts'
import { StoredText } from '../../store/stored-text.ts'
import { sealChunks } from './chunks.ts'
import { headerDigest, type SnapshotHeader } from './header.ts'
import { readLines } from './read-lines.ts'

/** The parts of a file to write. */
export interface SnapshotFile {
  /** The path of the unfinished file; an existing file is removed first. */
  readonly part: string
  readonly header: SnapshotHeader
  /** The key that the header holds encrypted, of 32 bytes. */
  readonly key: Uint8Array
  /** The exported collections, in the order of the file. */
  readonly collections: readonly Collection<never>[]
}

/** The size of a written snapshot. */
export interface WrittenSnapshot {
  readonly rows: number
  readonly bytes: number
}

/**
 * The rows of a vault are encrypted under another root key than that of this server, which another server has changed
 * meanwhile.
 */
export class OtherRootKey extends Error {
  override readonly name = 'OtherRootKey'
}

/** Writes the rows of a snapshot of the store into a new file that only its owner may read; the file is then on the disk. */
export async function writeSnapshot(snapshot: StoreSnapshot, file: SnapshotFile): Promise<WrittenSnapshot> {
  const { header, key, part } = file
  // The file of a killed attempt may still be open in another process, which then writes to its own file.
  await rm(part, { force: true })
  const handle = await open(part, 'wx', 0o600)
  try {
    const line = JSON.stringify(header)
    await handle.write(`${line}\n`)
    const content = new Content(snapshot, file)
    const sealing = { key, additional: headerDigest(line) }
    await pipeline(
      content.lines(),
      createGzip(),
      (source: AsyncIterable<Uint8Array>) => sealChunks(sealing, source),
      async (source: AsyncIterable<Uint8Array>) => {
        for await (const chunk of source) await handle.writeFile(chunk)
      },
    )
    await handle.sync()
    return { rows: content.rows, bytes: (await handle.stat()).size }
  } finally {
    await handle.close()
  }
}

/** Reads a written file back to its end. Throws `SnapshotFault` if the file differs from the written bytes. */
export async function verifySnapshot({ key, part }: Pick<SnapshotFile, 'key' | 'part'>): Promise<void> {
  for await (const _ of readLines(part, key));
}

/** The text that is collected before it is compressed, in characters. */
const batchSize = 65_536

/** The lines of a snapshot: one for each row, and a last line with the numbers of rows and the digest of all lines. */
class Content {
  rows = 0
  readonly #snapshot: StoreSnapshot
  readonly #file: Pick<SnapshotFile, 'collections' | 'header'>
  readonly #hash = createHash('sha256')
  readonly #counts: Record<string, number> = {}

  constructor(snapshot: StoreSnapshot, file: Pick<SnapshotFile, 'collections' | 'header'>) {
    this.#snapshot = snapshot
    this.#file = file
  }

  async *lines(): AsyncGenerator<string> {
    let batch = ''
    for (const collection of this.#file.collections) {
      this.#counts[collection.name] = 0
      for await (const stored of this.#snapshot.each(collection)) {
        batch += this.#lineOf(collection.name, stored)
        if (batch.length < batchSize) continue
        this.#hash.update(batch)
        yield batch
        batch = ''
      }
    }
    this.#hash.update(batch)
    const trailer = { counts: this.#counts, sha256: this.#hash.digest('hex') }
    yield `${batch}${JSON.stringify({ trailer })}\n`
  }

  #lineOf(table: string, stored: Stored<never>): string {
    if (!(stored instanceof StoredText)) throw new TypeError('a snapshot reads the texts of documents')
    if (table === safeKeys.name) this.#requireOwnRoot(stored.value)
    this.#counts[table] = (this.#counts[table] ?? 0) + 1
    this.rows += 1
    const body = stored.body.includes('\n') ? JSON.stringify(stored.value) : stored.body
    return `{"table":"${table}","row":${body}}\n`
  }

  #requireOwnRoot(row: unknown): void {
    const { root_key_check, root_key_id } = this.#file.header
    if (isRecord(row) && row['root_key_check'] === root_key_check && row['root_key_id'] === root_key_id) return
    throw new OtherRootKey(
      'the root key of the vault was changed by another server; start this server with the new key',
    )
  }
}
