import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { wrapSafeKey, type RootKey } from '../../../../domain/vault/seal/root-key.ts'
import { wrapSnapshotKey } from '../../../../domain/vault/seal/snapshot-key.ts'
import { sealChunks } from '../../../../server/vault/snapshots/chunks.ts'
import { headerDigest } from '../../../../server/vault/snapshots/header.ts'
import { testFolder } from '../../store/harness.ts'

/** The root key of made snapshots. */
export const root: RootKey = { id: 'root', bytes: Buffer.alloc(32, 'root') }

const installation = '01890000-0000-7000-8000-00000000000a'
const id = '01890000-0000-7000-8000-00000000000b'
const time = '2026-01-01T00:00:00.000Z'

/** Returns the line of a row. */
export const line = (table: string, row: unknown): string => JSON.stringify({ table, row })

/** The lines that each valid snapshot begins with: the safe and its key. */
export const sealLines = (): readonly string[] => [
  line('vault_safes', { id: 'safe', installation_id: installation, create_time: time }),
  line('vault_safe_keys', wrapSafeKey(root, installation, randomBytes(32), { id: '1', create_time: time })),
]

/** Returns the row of a workspace's key. */
export const workspaceKey = (workspace: string): object => ({ id: workspace, safe_key: '1', wrapped: 'AAAA' })

/** The parts of a made snapshot that differ from those of a valid one. */
export interface Making {
  readonly header?: object
  /** The bytes in place of the compressed lines. */
  readonly content?: Uint8Array
  /** The last line; absent: the right one. */
  readonly trailer?: object
  /** The header whose digest is authenticated; absent: the header itself. */
  readonly isHeaderAltered?: boolean
}

/** Writes a snapshot of lines, with the key of `root`, and returns its file. */
export async function madeSnapshot(lines: readonly string[], making: Making = {}): Promise<string> {
  const key = randomBytes(32)
  const valid = {
    format: 'ninefold-vault-snapshot-v1',
    ...wrapSnapshotKey(root, installation, id, key),
    create_time: time,
    schema_version: 1,
    description: '',
  }
  const header = JSON.stringify({ ...valid, ...making.header })
  const text = lines.map(each => `${each}\n`).join('')
  const content =
    making.content ?? gzipSync(`${text}${JSON.stringify({ trailer: making.trailer ?? trailerOf(lines) })}\n`)
  const additional = headerDigest(making.isHeaderAltered === true ? JSON.stringify(valid) : header)
  const chunks: Uint8Array[] = [Buffer.from(`${header}\n`)]
  for await (const chunk of sealChunks({ key, additional }, inPieces(content))) chunks.push(chunk)
  const file = join(testFolder(), 'made.snap')
  writeFileSync(file, Buffer.concat(chunks))
  return file
}

/** Returns the last line of a snapshot of these lines. */
export function trailerOf(lines: readonly string[]): { readonly counts: object; readonly sha256: string } {
  const counts: Record<string, number> = {}
  for (const each of lines) {
    const { table }: { readonly table: string } = JSON.parse(each)
    counts[table] = (counts[table] ?? 0) + 1
  }
  const sha256 = createHash('sha256')
    .update(lines.map(each => `${each}\n`).join(''))
    .digest('hex')
  return { counts, sha256 }
}

async function* inPieces(content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += 50_000) yield content.subarray(at, at + 50_000)
}
