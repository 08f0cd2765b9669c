import { readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { compare, type Comparison } from './compare.ts'
import { digest, manifestName, printManifest, withLineFeeds, type Manifest } from './manifest.ts'
import { onDisk, OutputError } from './output-error.ts'
import { quoted } from './quoted.ts'
import { replaceFile } from './replace-file.ts'
import { sweepTemporaries } from './temporary.ts'

export interface WriteOptions {
  /** The generator's version, for the manifest. */
  readonly version: string
  /** Overwrite files that the generator did not write, delete edited orphans, replace an unreadable manifest. */
  readonly force: boolean
}

/** What a run did, as paths relative to the output root, in order. */
export interface WriteResult {
  readonly written: readonly string[]
  readonly unchanged: readonly string[]
  readonly deleted: readonly string[]
  /** Those of `written` that somebody had edited by hand since they were generated. */
  readonly overwritten: readonly string[]
  /** Orphans left in place because somebody edited them. */
  readonly kept: readonly string[]
}

/**
 * Makes the files of `root` those of `files`, and touches no file that is right already. Deletes what an earlier run
 * wrote and this one does not. Each file changes at once, by rename; a run that is killed leaves old and new files and a
 * manifest that knows both, so that the next run mends it. Throws `OutputError` before the first change when a file that
 * is not the generator's stands in the way.
 */
export function write(root: string, files: ReadonlyMap<string, string>, options: WriteOptions): WriteResult {
  const comparison = compare(root, files, options.force)
  const problems = [...comparison.problems, ...(options.force ? [] : foreignProblems(root, comparison))]
  if (problems.length > 0) throw new OutputError(problems)

  const changed = comparison.files.filter(file => file.state !== 'same')
  const deleted = comparison.orphans.filter(orphan => options.force || !orphan.isEdited).map(orphan => orphan.path)
  const kept = comparison.orphans.map(orphan => orphan.path).filter(path => !deleted.includes(path))
  const { manifest } = comparison
  sweepTemporaries(root, manifest && manifest.next.size > 0 ? [...manifest.files.keys(), ...manifest.next.keys()] : [])
  if (changed.length + deleted.length > 0) writeManifest(root, journal(manifest, changed, options.version))
  for (const file of changed) replaceFile(join(root, file.path), file.text)
  for (const path of deleted) deleteFile(root, path)
  writeManifest(root, finished(files, kept, manifest, options.version))
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

/** The manifest while files change: what stood there, and what is about to. */
function journal(
  manifest: Manifest | undefined,
  changed: readonly { readonly path: string; readonly text: string }[],
  version: string,
): Manifest {
  const next = new Map([...(manifest?.next ?? []), ...changed.map(file => [file.path, digest(file.text)] as const)])
  return { generator: manifest?.generator ?? version, files: manifest?.files ?? new Map(), next }
}

function finished(
  files: ReadonlyMap<string, string>,
  kept: readonly string[],
  manifest: Manifest | undefined,
  version: string,
): Manifest {
  const hashes = new Map([...files].map(([path, text]) => [path, digest(text)]))
  for (const path of kept) hashes.set(path, manifest?.files.get(path) ?? '')
  return { generator: version, files: hashes, next: new Map() }
}

function writeManifest(root: string, manifest: Manifest): void {
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
