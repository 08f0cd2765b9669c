import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lookAt } from './place.ts'
import { digest, isInnerPath, manifestName, readManifest, withLineFeeds, type OutputManifest } from './manifest.ts'
import { onDisk } from './output-error.ts'

/**
 * The state of a file on the disk. `same`: the text equals the generated text. `stale`: the text comes from an earlier
 * or interrupted run. `edited`: the text was changed after the last run. `foreign`: the generator did not write the
 * file.
 */
export type FileState = 'missing' | 'same' | 'stale' | 'edited' | 'foreign'

/** A generated file with its state on the disk. */
export interface ComparedFile {
  /** The path relative to the output root, with `/`. */
  readonly path: string
  readonly state: FileState
  /** The generated text. */
  readonly text: string
  /** The text on the disk, with line feeds; empty if the file is missing. */
  readonly found: string
}

/** A file of an earlier run that is no longer generated. */
export interface Orphan {
  readonly path: string
  readonly isEdited: boolean
}

/** The comparison of an output root with the generated files, in the order of their paths. */
export interface Comparison {
  readonly manifest: OutputManifest | undefined
  readonly files: readonly ComparedFile[]
  readonly orphans: readonly Orphan[]
  /** A message for each path that cannot be compared, because writing to the path would be unsafe. */
  readonly problems: readonly string[]
}

/**
 * Compares an output root with the generated files without writing. `ignoreManifest` accepts a root whose manifest
 * cannot be read. Throws `OutputError` if the disk cannot be read, and `RangeError` if a path of `files` leaves the
 * root.
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

function tryManifest(root: string): OutputManifest | undefined {
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
  manifest: OutputManifest | undefined,
): ComparedFile {
  if (!exists) return { path, state: 'missing', text, found: '' }
  const found = readText(root, path)
  const state = found === text ? 'same' : stateOf(path, digest(found), manifest)
  return { path, state, text, found }
}

function stateOf(path: string, hash: string, manifest: OutputManifest | undefined): FileState {
  const known = manifest?.files.get(path)
  if (hash === known || hash === manifest?.next.get(path)) return 'stale'
  return known === undefined ? 'foreign' : 'edited'
}

function orphansOf(
  root: string,
  files: ReadonlyMap<string, string>,
  manifest: OutputManifest | undefined,
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
