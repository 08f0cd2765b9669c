import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { digest, manifestName, printManifest, withLineFeeds } from '../write/manifest.ts'
import { lookAt } from '../write/place.ts'
import type { CachedRun } from './run-cache.ts'
import { ownPackage } from '../own-package.ts'

/** The cached run compared with the files on the disk. */
export interface ComparedRun {
  readonly cached: CachedRun
  /** The paths of the input files whose text or real path has changed, or that are unreadable. */
  readonly changed: ReadonlySet<string>
  /** The text of each unchanged output file, keyed by the path relative to the output root. */
  readonly kept: ReadonlyMap<string, string>
}

/** Compares the cached run with the disk: the input files by SHA-256 and real path, the output files by SHA-256. */
export function compareWithDisk(cached: CachedRun, out: string): ComparedRun {
  const isAsItWas = ([file, hashed]: readonly [string, string]): boolean =>
    placeOf(file) === cached.places[file] && inputDigest(file) === hashed
  const outputs = Object.entries(cached.outputs).map(([path, hashed]) => [path, outputText(out, path, hashed)] as const)
  return {
    cached,
    changed: new Set(
      Object.entries(cached.inputs)
        .filter(input => !isAsItWas(input))
        .map(([file]) => file),
    ),
    kept: new Map(outputs.flatMap(([path, text]) => (text === undefined ? [] : [[path, text] as const]))),
  }
}

/** Whether all inputs and outputs are unchanged, including the manifest of the output root. */
export function isSame({ changed, kept, cached }: ComparedRun, out: string): boolean {
  const files = new Map(Object.entries(cached.outputs))
  if (changed.size > 0 || kept.size < files.size) return false
  const manifest = printManifest({ generator: ownPackage().version, files, next: new Map() })
  return outputText(out, manifestName, digest(manifest)) === manifest
}

/**
 * Returns the SHA-256 of the text that `load` would read from a file; undefined if the file is unreadable or no UTF-8
 * text.
 */
export function inputDigest(file: string): string | undefined {
  try {
    return digest(new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)))
  } catch {
    return undefined
  }
}

/** Returns the real path of a file, without symbolic links; undefined if the path does not resolve. */
export function placeOf(file: string): string | undefined {
  try {
    return realpathSync.native(file)
  } catch {
    return undefined
  }
}

/**
 * Returns the text of a file, with LF as line ends, if the text has the given SHA-256; undefined if the text has
 * another SHA-256 or the file is unreadable.
 */
function textOf(file: string, hashed: string): string | undefined {
  try {
    const text = withLineFeeds(readFileSync(file, 'utf8'))
    return digest(text) === hashed ? text : undefined
  } catch {
    return undefined
  }
}

function outputText(out: string, path: string, hashed: string): string | undefined {
  try {
    return lookAt(out, path).kind === 'file' ? textOf(join(out, path), hashed) : undefined
  } catch {
    return undefined
  }
}
