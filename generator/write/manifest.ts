import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lookAt } from './place.ts'
import { onDisk, OutputError } from './output-error.ts'
import { quoted } from './quoted.ts'

/**
 * The name of the file in the output root that lists the generated files. Users commit the manifest with the generated
 * files.
 */
export const manifestName = '.ninefold.json'

/**
 * The manifest of the last run. `files` and `next` hold the SHA-256 of each text, keyed by the path relative to the
 * output root, with `/`.
 */
export interface OutputManifest {
  /** The version of the generator that wrote the manifest. */
  readonly generator: string
  readonly files: ReadonlyMap<string, string>
  /** The files that a run in progress is writing; empty after every completed run. */
  readonly next: ReadonlyMap<string, string>
}

/** Converts CRLF to line feeds. The generator writes line feeds, and a checkout may have converted the line ends. */
export const withLineFeeds = (text: string): string => text.replaceAll('\r\n', '\n')

/** Returns the SHA-256 of a text in hexadecimal digits. A text has the same hash with LF and CRLF. */
export const digest = (text: string): string => hash('sha256', withLineFeeds(text))

/** Whether a path is relative, with `/`, and cannot leave the output root. */
export function isInnerPath(path: string): boolean {
  if (path === '' || /[\\:\u0000-\u001f]/.test(path)) return false
  return path.split('/').every(part => part !== '' && part !== '.' && part !== '..')
}

/**
 * Returns the manifest of an output root; undefined if the root has none. Throws `OutputError` for an invalid manifest.
 */
export function readManifest(root: string): OutputManifest | undefined {
  const place = lookAt(root, manifestName)
  if (place.kind === 'blocked') throw new OutputError([place.problem])
  if (place.kind === 'absent') return undefined
  const file = join(root, manifestName)
  const manifest = parseManifest(onDisk('read', file, () => readFileSync(file, 'utf8')))
  if (manifest) return manifest
  throw new OutputError([
    `${quoted(file)} is no manifest of generated files: restore it, or take its folder over with --force`,
  ])
}

/** Formats a manifest as prettier does, with paths sorted by code unit. */
export function printManifest(manifest: OutputManifest): string {
  const { generator, files, next } = manifest
  return `${JSON.stringify({ generator, files: sorted(files), ...(next.size > 0 && { next: sorted(next) }) }, null, 2)}\n`
}

function sorted(files: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries([...files].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function parseManifest(text: string): OutputManifest | undefined {
  const value = parseJson(text)
  if (!isRecord(value) || typeof value.generator !== 'string') return undefined
  const files = parseFiles(value.files)
  const next = parseFiles(value.next ?? {})
  return files && next && { generator: value.generator, files, next }
}

function parseFiles(value: unknown): ReadonlyMap<string, string> | undefined {
  if (!isRecord(value)) return undefined
  const files = new Map<string, string>()
  for (const [path, hash] of Object.entries(value)) {
    // A tampered manifest must not make the generator delete a file outside of the output.
    if (!isInnerPath(path) || typeof hash !== 'string') return undefined
    files.set(path, hash)
  }
  return files
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
