import { isRecord, own } from '../../runtime/validation.ts'
import type { SqlValue } from './connection.ts'
import type { Layout } from './layout.ts'

/** A row that contradicts its document. */
export interface Mismatch {
  /** The key for people; a value that is no text or is empty is shown as a literal of SQL. */
  readonly key: string
  /**
   * The reason for which the document is unreadable, for people; undefined if it is readable but contradicts its
   * columns.
   */
  readonly damage: string | undefined
}

/**
 * Returns the reason for which a document is unreadable, for people; undefined if it is readable. The reason never
 * quotes the document, which may hold secrets.
 */
export function damageOf({ id, columns, hidden, written }: Layout, document: unknown): string | undefined {
  if (!isRecord(document)) return 'it is no object in JSON'
  const unset = [id, ...(hidden?.names ?? [])].find(name => typeof own(document, name) !== 'string')
  if (unset !== undefined) return `it holds no text in "${unset}"`
  try {
    for (const column of [...columns.values(), ...written]) column.valueOf(document)
    return undefined
  } catch (error) {
    if (error instanceof TypeError) return error.message
    throw error
  }
}

/** Returns a key for people. */
export function shownKey(key: SqlValue | undefined): string {
  if (key instanceof Uint8Array) return `x'${Buffer.from(key).toString('hex')}'`
  if (key === null || key === undefined) return 'NULL'
  return key === '' ? "''" : String(key)
}
