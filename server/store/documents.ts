import { isRecord, own } from '../../runtime/validation.ts'
import type { SqlValue } from './connection.ts'
import type { Layout } from './layout.ts'

/** A row that no store would have written. */
export interface Mismatch {
  /** For people; what is no text, or an empty one, is shown as a literal of SQL. */
  readonly key: string
  /** Why its document cannot be read, for people; undefined: it can, but the columns say something else. */
  readonly damage: string | undefined
}

/** Why a document cannot be read, for people, undefined when it can. Nothing of it is told: it may hold secrets. */
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

/** A key for people. */
export function shownKey(key: SqlValue | undefined): string {
  if (key instanceof Uint8Array) return `x'${Buffer.from(key).toString('hex')}'`
  if (key === null || key === undefined) return 'NULL'
  return key === '' ? "''" : String(key)
}
