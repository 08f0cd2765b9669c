import { compare, type Comparison } from './compare.ts'
import { diff } from './diff.ts'
import { digest, manifestName, printManifest, type OutputManifest } from './manifest.ts'
import { OutputError } from './output-error.ts'

/** The differences between an output root and the generated files. The paths are relative to the root and sorted. */
export interface Drift {
  readonly missing: readonly string[]
  readonly changed: readonly ChangedFile[]
  /** Files of an earlier run that are no longer generated. */
  readonly orphans: readonly string[]
  /**
   * The version of the generator that wrote the output, if it differs from the current version. A different version
   * alone is no difference of the output.
   */
  readonly otherVersion: string | undefined
}

/** A generated file whose text on the disk differs. */
export interface ChangedFile {
  readonly path: string
  /** The unified diff from the file on the disk to the generated text. */
  readonly diff: readonly string[]
}

/**
 * Compares an output root with the generated files without writing. Differences in line ends do not count. Throws
 * `OutputError` if the output cannot be read or a path is blocked.
 */
export function check(root: string, files: ReadonlyMap<string, string>, version: string): Drift {
  const comparison = compare(root, files, false)
  if (comparison.problems.length > 0) throw new OutputError(comparison.problems)
  const { manifest } = comparison
  const missing = comparison.files.filter(file => file.state === 'missing').map(file => file.path)
  const changed = changedFiles(comparison)
  return {
    missing: manifest ? missing : [manifestName, ...missing],
    changed: missing.length + changed.length > 0 ? changed : manifestChange(manifest, files, comparison),
    orphans: comparison.orphans.map(orphan => orphan.path),
    otherVersion: manifest && manifest.generator !== version ? manifest.generator : undefined,
  }
}

/** Whether the output equals the generated files. */
export const isClean = (drift: Drift): boolean =>
  drift.missing.length + drift.changed.length + drift.orphans.length === 0

function changedFiles(comparison: Comparison): ChangedFile[] {
  return comparison.files
    .filter(file => file.state !== 'same' && file.state !== 'missing')
    .map(file => ({ path: file.path, diff: diff(file.found, file.text) }))
}

/**
 * Returns the change of a manifest that does not list exactly the generated files; empty if the manifest is right or
 * missing. Orphans are reported separately.
 */
function manifestChange(
  manifest: OutputManifest | undefined,
  files: ReadonlyMap<string, string>,
  comparison: Comparison,
): ChangedFile[] {
  if (!manifest) return []
  const right = new Map([...files].map(([path, text]) => [path, digest(text)]))
  for (const { path } of comparison.orphans) right.set(path, manifest.files.get(path) ?? '')
  const found = printManifest(manifest)
  const expected = printManifest({ generator: manifest.generator, files: right, next: new Map() })
  return found === expected ? [] : [{ path: manifestName, diff: diff(found, expected) }]
}
