import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lookAt } from './place.ts'
import { digest, isInnerPath, manifestName, readManifest, withLineFeeds, type Manifest } from './manifest.ts'
import { onDisk } from './output-error.ts'

/**
 * How a generated file stands on the disk: `same` text; `stale`, as an earlier run left it; `edited` since then;
 * `foreign`, never written by the generator.
 */
export type FileState = 'missing' | 'same' | 'stale' | 'edited' | 'foreign'

export interface ComparedFile {
  /** Relative to the output root, with `/`. */
  readonly path: string
  readonly state: FileState
  /** As generated. */
  readonly text: string
  /** As on the disk, with line feeds; empty when missing. */
  readonly found: string
}

/** A file that an earlier run wrote and this one does not. */
export interface Orphan {
  readonly path: string
  readonly isEdited: boolean
}

/** An output root against the files that belong there, both in the order of their paths. */
export interface Comparison {
  readonly manifest: Manifest | undefined
  readonly files: readonly ComparedFile[]
  readonly orphans: readonly Orphan[]
  /** Places that must not be written, one line each. */
  readonly problems: readonly string[]
}

/**
 * Compares without writing. `ignoreManifest` takes over a root whose manifest cannot be read. Throws `OutputError` where
 * the disk cannot be read, and `RangeError` for a path of `files` that leaves the root.
 */
export function compare(root: string, files: ReadonlyMap<string, string>, ignoreManifest: boolean): Comparison {
  const manifest = ignoreManifest ? tryManifest(root) : readManifest(root)
  const problems: string[] = []
  const compared: ComparedFile[] = []
  for (const [path, text] of [...files].sort(byPath)) {
    if (!isInnerPath(path) || path === manifestName) throw new RangeError(`generated path leaves the output: ${path}`)
    const place = lookAt(root, path)
    if (place.kind === 'blocked') problems.push(place.problem)
    else compared.push(compareFile(root, path, text, place.kind === 'file', manifest))
  }
  return { manifest, files: compared, orphans: orphansOf(root, files, manifest, problems), problems }
}

const byPath = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : a > b ? 1 : 0

function tryManifest(root: string): Manifest | undefined {
  try {
    return readManifest(root)
  } catch {
    return undefined
  }
}

function compareFile(
  root: string,
  path: string,
  text: string,
  exists: boolean,
  manifest: Manifest | undefined,
): ComparedFile {
  if (!exists) return { path, state: 'missing', text, found: '' }
  const found = readText(root, path)
  const state = found === text ? 'same' : stateOf(path, digest(found), manifest)
  return { path, state, text, found }
}

function stateOf(path: string, hash: string, manifest: Manifest | undefined): FileState {
  const known = manifest?.files.get(path)
  if (hash === known || hash === manifest?.next.get(path)) return 'stale'
  return known === undefined ? 'foreign' : 'edited'
}

function orphansOf(
  root: string,
  files: ReadonlyMap<string, string>,
  manifest: Manifest | undefined,
  problems: string[],
): Orphan[] {
  const orphans: Orphan[] = []
  for (const [path] of [...(manifest?.files ?? []), ...(manifest?.next ?? [])].sort(byPath)) {
    if (files.has(path) || path === manifestName || orphans.at(-1)?.path === path) continue
    const place = lookAt(root, path)
    if (place.kind === 'blocked') problems.push(place.problem)
    if (place.kind !== 'file') continue
    const state = stateOf(path, digest(readText(root, path)), manifest)
    if (state === 'foreign') continue
    orphans.push({ path, isEdited: state === 'edited' })
  }
  return orphans
}

function readText(root: string, path: string): string {
  const file = join(root, path)
  return withLineFeeds(onDisk('read', file, () => readFileSync(file, 'utf8')))
}
