import { posix } from 'node:path'
import type { Diagnostic } from '../diagnostics.ts'
import type { Model } from '../model/types.ts'
import { digest } from '../write/manifest.ts'
import type { Parts } from './memory.ts'

/** By the name of a document, the files that it is made of, its own first; in the order of the run. */
export type Reach = ReadonlyMap<string, readonly string[]>

/**
 * What a later run needs to generate some documents without the others; undefined where that would not be safe. It is
 * where each file is of one document or is a document itself, and where those that others refer to are without warnings,
 * which may be due to any of them.
 */
export function partsOf(reach: Reach, model: Model, warnings: readonly Diagnostic[]): Parts | undefined {
  if (model.isInterwoven || !isSeparable(reach)) return undefined
  const shared = new Set(sharedDocuments(reach))
  const files = new Set([...shared].flatMap(name => reach.get(name) ?? []))
  if (warnings.some(({ position }) => files.has(position.file))) return undefined
  const schemas = model.documents.filter(({ name }) => shared.has(name)).map(document => document.schemas)
  return { reach: [...reach], shared: digest(JSON.stringify(schemas, withoutPlaces)) }
}

/** The names of the documents that others refer to. */
export function sharedDocuments(reach: Reach): readonly string[] {
  const readers = readersOf(reach)
  return [...reach].flatMap(([name, [own = '']]) => ((readers.get(own) ?? 0) > 1 ? [name] : []))
}

/** Names of schemas may come from the folder of the first document, so all have to stand in one. */
function isSeparable(reach: Reach): boolean {
  const own = [...reach.values()].map(([file = '']) => file)
  if (new Set(own.map(file => posix.dirname(file))).size > 1) return false
  return own.length > 1 && [...readersOf(reach)].every(([file, readers]) => readers === 1 || own.includes(file))
}

/** How many documents each file is part of. */
function readersOf(reach: Reach): ReadonlyMap<string, number> {
  const readers = new Map<string, number>()
  for (const file of [...reach.values()].flat()) readers.set(file, (readers.get(file) ?? 0) + 1)
  return readers
}

/** The text of a shared document is known to be the same: only what others decide of it matters. */
const withoutPlaces = (name: string, value: unknown): unknown =>
  name === 'position' || name === 'example' ? undefined : value
