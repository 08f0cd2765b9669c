import { posix } from 'node:path'
import type { Diagnostic } from '../diagnostics.ts'
import type { Model } from '../model/types.ts'
import { digest } from '../write/manifest.ts'
import type { PartialReuse } from './run-cache.ts'

/**
 * The input files of each document, keyed by the name of the document, in the order of the run; the first file of each
 * list is the document itself.
 */
export type Reach = ReadonlyMap<string, readonly string[]>

/**
 * Returns the facts that let a later run generate some documents without the others. Returns undefined if a partial run
 * is unsafe or useless: there is one document, the model is interwoven, the documents lie in several folders, several
 * documents read a file that is no document, or a shared document has a warning, which another document may have
 * caused.
 */
export function partsOf(reach: Reach, model: Model, warnings: readonly Diagnostic[]): PartialReuse | undefined {
  if (model.isInterwoven || !isSeparable(reach)) return undefined
  const shared = new Set(sharedDocuments(reach))
  const files = new Set([...shared].flatMap(name => reach.get(name) ?? []))
  if (warnings.some(({ position }) => files.has(position.file))) return undefined
  const schemas = model.documents.filter(({ name }) => shared.has(name)).map(document => document.schemas)
  return { reach: [...reach], shared: digest(JSON.stringify(schemas, withoutPlaces)) }
}

/** Returns the names of the documents that other documents refer to. */
export function sharedDocuments(reach: Reach): readonly string[] {
  const readers = readersOf(reach)
  return [...reach].flatMap(([name, [own = '']]) => ((readers.get(own) ?? 0) > 1 ? [name] : []))
}

/**
 * Whether the run has several documents, all in one folder, and each file that several documents read is a document
 * itself. The folder matters because the folder of the first document can influence schema names.
 */
function isSeparable(reach: Reach): boolean {
  const own = [...reach.values()].map(([file = '']) => file)
  if (new Set(own.map(file => posix.dirname(file))).size > 1) return false
  return own.length > 1 && [...readersOf(reach)].every(([file, readers]) => readers === 1 || own.includes(file))
}

/** Returns the number of documents that read each file, keyed by file. */
function readersOf(reach: Reach): ReadonlyMap<string, number> {
  const readers = new Map<string, number>()
  for (const file of [...reach.values()].flat()) readers.set(file, (readers.get(file) ?? 0) + 1)
  return readers
}

/**
 * Leaves out positions and examples, as the replacer of `JSON.stringify` for the hash of models. A later run compares
 * the text of a shared document separately; the hash detects that other documents have changed the model of the shared
 * document.
 */
const withoutPlaces = (name: string, value: unknown): unknown =>
  name === 'position' || name === 'example' ? undefined : value
