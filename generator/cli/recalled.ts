import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { digest, manifestName, printManifest, withLineFeeds } from '../write/manifest.ts'
import { lookAt } from '../write/place.ts'
import type { Memory } from './memory.ts'
import { ownPackage } from './package-root.ts'

/** A memory beside the disk. */
export interface Recalled {
  readonly memory: Memory
  /** The files of its inputs that are not what they were, or gone. */
  readonly changed: ReadonlySet<string>
  /** The files of its output that are what they were: path relative to the output root -> text. */
  readonly kept: ReadonlyMap<string, string>
}

/** Compares all that a run read and wrote with the disk, by content. */
export function recalled(memory: Memory, out: string): Recalled {
  const isAsItWas = ([file, hashed]: readonly [string, string]): boolean =>
    placeOf(file) === memory.places[file] && inputDigest(file) === hashed
  const outputs = Object.entries(memory.outputs).map(([path, hashed]) => [path, outputText(out, path, hashed)] as const)
  return {
    memory,
    changed: new Set(
      Object.entries(memory.inputs)
        .filter(input => !isAsItWas(input))
        .map(([file]) => file),
    ),
    kept: new Map(outputs.flatMap(([path, text]) => (text === undefined ? [] : [[path, text] as const]))),
  }
}

/** Whether a run would find all as that one left it, to the last file. */
export function isSame({ changed, kept, memory }: Recalled, out: string): boolean {
  const files = new Map(Object.entries(memory.outputs))
  if (changed.size > 0 || kept.size < files.size) return false
  const manifest = printManifest({ generator: ownPackage().version, files, next: new Map() })
  return outputText(out, manifestName, digest(manifest)) === manifest
}

/** SHA-256 of the text that `load` would read from a file now; undefined where it would read none. */
export function inputDigest(file: string): string | undefined {
  try {
    return digest(new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)))
  } catch {
    return undefined
  }
}

/** The path of a file without symbolic links; undefined where there is none. */
export function placeOf(file: string): string | undefined {
  try {
    return realpathSync.native(file)
  } catch {
    return undefined
  }
}

/** The text of a file, where it is the one that was hashed; what cannot be read is another. */
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
