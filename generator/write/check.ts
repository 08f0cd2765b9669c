import { compare, type Comparison } from './compare.ts'
import { diff } from './diff.ts'
import { digest, manifestName, printManifest, type Manifest } from './manifest.ts'
import { OutputError } from './output-error.ts'

/** How an output root differs from what would be generated; paths relative to it, in order. */
export interface Drift {
  readonly missing: readonly string[]
  readonly changed: readonly ChangedFile[]
  /** Files that an earlier run wrote and that no document asks for any more. */
  readonly orphans: readonly string[]
  /** The version of the generator that wrote the output, when it is another one. No drift by itself. */
  readonly otherVersion: string | undefined
}

export interface ChangedFile {
  readonly path: string
  /** From the disk to what would be generated, in the form of a unified diff. */
  readonly diff: readonly string[]
}

/** Compares and writes nothing. Line ends are no difference. Throws `OutputError` where the output cannot be read. */
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

/** True when the output is what would be generated. */
export const isClean = (drift: Drift): boolean =>
  drift.missing.length + drift.changed.length + drift.orphans.length === 0

function changedFiles(comparison: Comparison): ChangedFile[] {
  return comparison.files
    .filter(file => file.state !== 'same' && file.state !== 'missing')
    .map(file => ({ path: file.path, diff: diff(file.found, file.text) }))
}

/** A manifest that lists something else than the files, all of which are right; orphans alone are named as such. */
function manifestChange(
  manifest: Manifest | undefined,
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
