import { readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { compare, type Comparison } from './compare.ts'
import { digest, manifestName, printManifest, withLineFeeds, type OutputManifest } from './manifest.ts'
import { onDisk, OutputError } from './output-error.ts'
import { quoted } from './quoted.ts'
import { replaceFile } from './replace-file.ts'
import { sweepTemporaries } from './temporary.ts'

/** The options of `write`. */
export interface WriteOptions {
  /** The version of the generator, which the manifest records. */
  readonly version: string
  /** Whether to overwrite foreign files, delete edited orphans and replace an unreadable manifest. */
  readonly force: boolean
}

/** The changes of a run. Paths are relative to the output root, in their order. */
export interface WriteResult {
  readonly written: readonly string[]
  readonly unchanged: readonly string[]
  readonly deleted: readonly string[]
  /** The paths in `written` that had been edited by hand since the last run. */
  readonly overwritten: readonly string[]
  /** The orphans that were kept, because they had been edited by hand. */
  readonly kept: readonly string[]
}

/**
 * Makes the files of `root` equal to `files` without touching equal files, and deletes files of an earlier run that are
 * no longer generated. Without `force`, edited files of an earlier run stay. Each file is replaced atomically by
 * rename. A killed run leaves a mix of old and new files, and a manifest that lists both, from which the next run
 * recovers. Throws `OutputError` before the first change if a path is blocked or, without `force`, a foreign file is in
 * the way.
 */
export function write(root: string, files: ReadonlyMap<string, string>, options: WriteOptions): WriteResult {
  const comparison = compare(root, files, options.force)
  const problems = [...comparison.problems, ...(options.force ? [] : foreignProblems(root, comparison))]
  if (problems.length > 0) throw new OutputError(problems)

  const changed = comparison.files.filter(file => file.state !== 'same')
  const deleted = comparison.orphans.filter(orphan => options.force || !orphan.isEdited).map(orphan => orphan.path)
  const kept = comparison.orphans.map(orphan => orphan.path).filter(path => !deleted.includes(path))
  const { manifest } = comparison
  const hashes = new Map([...files].map(([path, text]) => [path, digest(text)]))
  sweepTemporaries(root, manifest && manifest.next.size > 0 ? [...manifest.files.keys(), ...manifest.next.keys()] : [])
  if (changed.length + deleted.length > 0) writeManifest(root, journal(manifest, changed, hashes, options.version))
  for (const file of changed) replaceFile(join(root, file.path), file.text)
  for (const path of deleted) deleteFile(root, path)
  writeManifest(root, finished(hashes, kept, manifest, options.version))
  return {
    written: changed.map(file => file.path),
    unchanged: comparison.files.filter(file => file.state === 'same').map(file => file.path),
    deleted,
    overwritten: changed.filter(file => file.state === 'edited').map(file => file.path),
    kept,
  }
}

function foreignProblems(root: string, comparison: Comparison): string[] {
  return comparison.files
    .filter(file => file.state === 'foreign')
    .map(
      file =>
        `${quoted(join(root, file.path))} was not written by the generator: move it away, or overwrite with --force`,
    )
}

/** Returns the manifest during the changes. This manifest lists the earlier files and the files to write. */
function journal(
  manifest: OutputManifest | undefined,
  changed: readonly { readonly path: string }[],
  hashes: ReadonlyMap<string, string>,
  version: string,
): OutputManifest {
  const next = new Map([
    ...(manifest?.next ?? []),
    ...changed.map(({ path }) => [path, hashes.get(path) ?? ''] as const),
  ])
  return { generator: manifest?.generator ?? version, files: manifest?.files ?? new Map(), next }
}

function finished(
  hashes: ReadonlyMap<string, string>,
  kept: readonly string[],
  manifest: OutputManifest | undefined,
  version: string,
): OutputManifest {
  const files = new Map(hashes)
  for (const path of kept) files.set(path, manifest?.files.get(path) ?? '')
  return { generator: version, files, next: new Map() }
}

function writeManifest(root: string, manifest: OutputManifest): void {
  const text = printManifest(manifest)
  if (text !== currentManifest(root)) replaceFile(join(root, manifestName), text)
}

function currentManifest(root: string): string | undefined {
  try {
    return withLineFeeds(readFileSync(join(root, manifestName), 'utf8'))
  } catch {
    return undefined
  }
}

function deleteFile(root: string, path: string): void {
  const target = join(root, path)
  onDisk('delete', target, () => rmSync(target))
  let folder = dirname(path)
  while (folder !== '.' && readdirSync(join(root, folder)).length === 0) {
    const empty = join(root, folder)
    onDisk('delete', empty, () => rmdirSync(empty))
    folder = dirname(folder)
  }
}
