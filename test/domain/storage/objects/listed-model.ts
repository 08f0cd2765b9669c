import type { StoredVersion } from '../../../../domain/storage/objects/versions-store.ts'
import type { Random } from '../../../areas/random.ts'

/** A version or a delete marker, as a list shows it. */
export interface Listed {
  readonly name: string
  /** The name in UTF-8. */
  readonly bytes: Buffer
  readonly version: string
  readonly commit: string
  readonly size: number
  readonly isLatest: boolean
  readonly isMarker: boolean
}

/** The terms of a list, which all of its pages have. */
export interface Terms {
  readonly prefix: string
  readonly delimiter: '' | '/'
  readonly versions: boolean
  /** The list has only versions that are larger. */
  readonly largerThan: number
}

/** A row of a page: a version, or a common prefix. */
export type Row = Listed | string

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** Compares versions in the order of a list: by name in bytes, those of a name newest first. */
export const inOrder = (a: Listed, b: Listed): number => Buffer.compare(a.bytes, b.bytes) || byBytes(b.commit, a.commit)

/**
 * Returns the rows of a page after a row of the page before, and whether there are further rows: the naive list, which
 * reads all names. `all` is sorted.
 */
export function pageOf(
  all: readonly Listed[],
  { delimiter, largerThan, prefix, versions }: Terms,
  size: number,
  after: Row | undefined,
): { readonly rows: readonly Row[]; readonly hasMore: boolean } {
  const rows: Row[] = []
  for (const each of all) {
    if (!each.name.startsWith(prefix) || each.size <= largerThan) continue
    if (!versions && (!each.isLatest || each.isMarker)) continue
    const end = delimiter === '' ? -1 : each.name.indexOf(delimiter, prefix.length)
    const row = end === -1 ? each : each.name.slice(0, end + 1)
    if (row === rows.at(-1) || !isBehind(row, after)) continue
    if (rows.length === size) return { rows, hasMore: true }
    rows.push(row)
  }
  return { rows, hasMore: false }
}

/** Whether a row comes after another row; a common prefix stands for all of its names. */
function isBehind(row: Row, after: Row | undefined): boolean {
  if (after === undefined) return true
  const [name, before] = [nameOf(row), nameOf(after)]
  if (typeof after === 'string') return !name.startsWith(after) && byBytes(name, after) > 0
  if (name !== before || typeof row === 'string') return byBytes(name, before) > 0
  return byBytes(row.commit, after.commit) < 0
}

const nameOf = (row: Row): string => (typeof row === 'string' ? row : row.name)

/** Characters with all lengths in UTF-8, and neighbours in the order of bytes that UTF-16 sorts otherwise. */
const alphabet = [
  'a',
  'b',
  'c',
  '0',
  '~',
  ' ',
  '+',
  '%',
  'é',
  '\u{e9}\u{301}',
  '\u{ffff}',
  '\u{e000}',
  '😀',
  '\u{10ffff}',
]

/** Returns the name of an object of up to six segments, many of which share their first segments. */
export function randomName(random: Random): string {
  const segment = (): string => Array.from({ length: 1 + random.below(3) }, () => random.oneOf(alphabet)).join('')
  if (random.percent(30)) return `p/q/${segment()}${random.below(1_000_000)}`
  const depth = random.below(4)
  const folders = Array.from({ length: depth }, () =>
    random.percent(10) ? '' : random.oneOf(['a', 'b', 'é', '😀', '...']),
  )
  const name = [...folders, segment()].join('/')
  return name.replace(/^\/+/, '') + (random.percent(5) ? '/' : '')
}

/** Returns the row of a version. */
export const versionRow = (
  bucket: string,
  workspace: string,
  { commit, isLatest, isMarker, name, size, version }: Listed,
): StoredVersion => ({
  workspace_id: workspace,
  bucket_id: bucket,
  name,
  version_id: version,
  is_latest: isLatest,
  is_delete_marker: isMarker,
  size,
  content_type: 'text/plain',
  etag: '5d41402abc4b2a76b9719d911017c592',
  storage_class: 'standard',
  create_time: '2026-01-15T09:45:00.250Z',
  update_time: '2026-01-15T09:45:00.250Z',
  uploader_principal_id: '',
  commit_number: commit,
  slot: 'KEPT',
  content_id: '',
})
