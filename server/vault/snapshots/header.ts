import { createHash } from 'node:crypto'
import { constants, open } from 'node:fs/promises'
import type { WrappedSnapshotKey } from '../../../domain/vault/seal/snapshot-key.ts'
import { isRecord } from '../../../runtime/validation.ts'
import { storeFormat } from '../../store/format.ts'
import { systemCode } from '../../store/sqlite/store-file.ts'
import { damaged, SnapshotFault } from './snapshot-fault.ts'

/** The format of a snapshot's file: its first line, its encryption and its lines. */
export const snapshotFormat = 'ninefold-vault-snapshot-v1'

/** The maximal size of a header, in bytes; a description has at most 1024 characters. */
export const maxHeaderBytes = 16_384

/** The first line of a snapshot: clear JSON, which the encryption authenticates. */
export interface SnapshotHeader extends WrappedSnapshotKey {
  readonly format: typeof snapshotFormat
  readonly create_time: string
  /** The format number of the documents (server/store/format.ts). */
  readonly schema_version: number
  readonly description: string
}

/** A header as it was read. */
export interface ReadHeader {
  readonly header: SnapshotHeader
  /** The size of the line with its end, in bytes: the encrypted part begins there. */
  readonly size: number
  /** The SHA-256 of the line without its end, which the encryption authenticates. */
  readonly digest: Buffer
}

/** Returns the SHA-256 of a header line. */
export const headerDigest = (line: string | Uint8Array): Buffer => createHash('sha256').update(line).digest()

/**
 * Reads the header of a file. Throws `SnapshotFault` for a file that cannot be read, is no snapshot, or is of another
 * version.
 */
export async function readHeader(file: string): Promise<ReadHeader> {
  const bytes = await firstBytes(file)
  const end = bytes.indexOf('\n')
  const line = bytes.subarray(0, Math.max(0, end))
  const value = parsed(line)
  if (
    !isRecord(value) ||
    typeof value['format'] !== 'string' ||
    !value['format'].startsWith('ninefold-vault-snapshot-')
  )
    throw new SnapshotFault('is no snapshot of a vault; name a file that takeSnapshot has written')
  if (value['format'] !== snapshotFormat || value['schema_version'] !== storeFormat)
    throw new SnapshotFault(
      `was taken by another version of the program (${String(value['format']).slice(0, 80)}, schema ${String(value['schema_version']).slice(0, 20)}); restore it with that version`,
    )
  if (!isHeader(value)) throw damaged('its header lacks a member')
  return { header: value, size: end + 1, digest: headerDigest(line) }
}

async function firstBytes(file: string): Promise<Buffer> {
  try {
    // Without O_NONBLOCK, the opening of a pipe waits for a writer.
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      if (!(await handle.stat()).isFile()) throw new SnapshotFault('is no file; name the file of a snapshot')
      const buffer = Buffer.alloc(maxHeaderBytes)
      const { bytesRead } = await handle.read(buffer, 0, maxHeaderBytes, 0)
      return buffer.subarray(0, bytesRead)
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (error instanceof SnapshotFault) throw error
    throw new SnapshotFault(`cannot be read (${systemCode(error) || 'unknown'}); name a file that this user may read`, {
      cause: error,
    })
  }
}

function parsed(line: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(line).toString())
  } catch {
    return undefined
  }
}

const texts = [
  'snapshot_id',
  'installation_id',
  'create_time',
  'description',
  'root_key_id',
  'root_key_check',
  'wrapped_key',
]

const isHeader = (value: object): value is SnapshotHeader =>
  isRecord(value) && texts.every(name => typeof value[name] === 'string')
