import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { digest, manifestName, printManifest, withLineFeeds } from '../write/manifest.ts'
import { lookAt } from '../write/place.ts'
import { replaceFile } from '../write/replace-file.ts'
import type { Invocation } from './invocation.ts'
import { ownPackage } from './package-root.ts'

/** What a run came to that left, or found, its output as the documents say. */
export interface Memory {
  /** SHA-256 of each file that was read, by its name relative to the working directory. */
  readonly inputs: Readonly<Record<string, string>>
  /** The same of each file that was generated, by its path relative to the output root. */
  readonly outputs: Readonly<Record<string, string>>
  /** The warnings, as they were printed. */
  readonly said: readonly string[]
  /** `9 documents, 357 operations`. */
  readonly size: string
}

/**
 * The memory of the last run, where this one would do the same and come to the same: the generator, its options, all
 * that it read and all that it wrote are what they were. It stands in `node_modules/.cache` of the working directory; a
 * project without `node_modules` has none, and in CI nothing is remembered.
 */
export function recall(invocation: Invocation): Memory | undefined {
  const file = memoryFile(invocation)
  if (file === undefined) return undefined
  try {
    const { key, memory }: { readonly key: unknown; readonly memory: Memory } = JSON.parse(readFileSync(file, 'utf8'))
    const isCurrent = key === keyOf(invocation) && areUnchanged(memory.inputs) && isWritten(invocation.out, memory)
    return isCurrent ? memory : undefined
  } catch {
    // Whatever is wrong with it, or with what it is about, a run without it says it better.
    return undefined
  }
}

/** Keeps what a run came to for the next one. */
export function remember(invocation: Invocation, memory: Memory): void {
  const file = memoryFile(invocation)
  if (file === undefined) return
  try {
    replaceFile(file, JSON.stringify({ key: keyOf(invocation), memory }))
  } catch {
    // The run has done its work; the next one will take its time again.
  }
}

/** SHA-256 of texts by their names. */
export const digests = (texts: ReadonlyMap<string, string>): Readonly<Record<string, string>> =>
  Object.fromEntries([...texts].map(([name, text]) => [name, digest(text)]))

/** None where a run does or says more than its output shows. */
function memoryFile({ force, out, report, scaffold, timings, validate, watch }: Invocation): string | undefined {
  if (force || report || scaffold !== undefined || timings || validate || watch) return undefined
  if (process.env.CI || !existsSync('node_modules')) return undefined
  return join('node_modules/.cache/ninefold', `${hash([resolve(out)]).slice(0, 32)}.json`)
}

function keyOf({
  allowRefs,
  client,
  documents,
  importEnding,
  out,
  permissionBits,
  runtime,
  strict,
}: Invocation): string {
  const given = { allowRefs, client, documents, importEnding, out, permissionBits, runtime, strict }
  const options = { ...given, in: resolve('') }
  return hash([JSON.stringify(options), process.version, ...generatorTexts()])
}

/** All that decides what is generated: a generator that is worked on has the same version for long. */
function generatorTexts(): readonly string[] {
  const { root } = ownPackage()
  const generator = join(import.meta.dirname, '..')
  const folders = [generator, join(generator, '../templates'), join(root, 'runtime')]
  return [readFileSync(join(root, 'package.json'), 'utf8'), ...folders.flatMap(textsIn)]
}

function textsIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const files = entries.map(({ name, parentPath }) => join(parentPath, name)).sort()
  return files.flatMap(file => [file.split(sep).join('/'), readFileSync(file, 'utf8')])
}

const areUnchanged = (files: Readonly<Record<string, string>>): boolean =>
  Object.entries(files).every(([file, hashed]) => digest(readFileSync(file, 'utf8')) === hashed)

/** Whether the output is what was generated, to the last file. */
function isWritten(out: string, { outputs }: Memory): boolean {
  const files = new Map(Object.entries(outputs))
  const manifest = printManifest({ generator: ownPackage().version, files, next: new Map() })
  if (withLineFeeds(readFileSync(join(out, manifestName), 'utf8')) !== manifest) return false
  if ([manifestName, ...files.keys()].some(path => lookAt(out, path).kind !== 'file')) return false
  return [...files].every(([path, hashed]) => digest(readFileSync(join(out, path), 'utf8')) === hashed)
}

function hash(texts: readonly string[]): string {
  const sum = createHash('sha256')
  // Where a text ends is said before it, so that no other texts come to the same.
  for (const text of texts) sum.update(`${text.length}\n`).update(text)
  return sum.digest('hex')
}
