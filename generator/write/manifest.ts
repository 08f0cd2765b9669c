import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lookAt } from './place.ts'
import { onDisk, OutputError } from './output-error.ts'
import { quoted } from './quoted.ts'

/** The file of the output root that says which files are the generator's; committed like them. */
export const manifestName = '.ninefold.json'

/** What an earlier run wrote: paths relative to the output root, with `/`, and the SHA-256 of each text. */
export interface Manifest {
  /** The version of the generator that wrote it. */
  readonly generator: string
  readonly files: ReadonlyMap<string, string>
  /** What a run was about to write when it was interrupted; empty after every run that ended. */
  readonly next: ReadonlyMap<string, string>
}

/** Line ends as the generator writes them; a checkout may have turned them into CRLF. */
export const withLineFeeds = (text: string): string => text.replaceAll('\r\n', '\n')

/** SHA-256 of a text, in hex, the same for LF and CRLF. */
export const digest = (text: string): string => createHash('sha256').update(withLineFeeds(text)).digest('hex')

/** True for a relative path with `/` that cannot leave the output root. */
export function isInnerPath(path: string): boolean {
  if (path === '' || /[\\:\u0000-\u001f]/.test(path)) return false
  return path.split('/').every(part => part !== '' && part !== '.' && part !== '..')
}

/** The manifest of an output root; undefined where there is none. Throws `OutputError` when it cannot be understood. */
export function readManifest(root: string): Manifest | undefined {
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

/** The text of a manifest, as prettier lays it out: paths in order of code units. */
export function printManifest(manifest: Manifest): string {
  const { generator, files, next } = manifest
  return `${JSON.stringify({ generator, files: sorted(files), ...(next.size > 0 && { next: sorted(next) }) }, null, 2)}\n`
}

function sorted(files: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries([...files].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function parseManifest(text: string): Manifest | undefined {
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
    // A path that a tampered manifest names must not make the generator delete a file elsewhere.
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
