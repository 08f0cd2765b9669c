import type { Collection } from '../../../domain/ports/store.ts'
import { unwrapSafeKey, type RootKey } from '../../../domain/vault/seal/root-key.ts'
import { safeKeys, safes, workspaceKeys, type StoredSafeKey } from '../../../domain/vault/seal/seal-store.ts'
import { isRecord, own } from '../../../runtime/validation.ts'
import { damageOf } from '../../store/documents.ts'
import { layoutOf, type Layout } from '../../store/layout.ts'
import { sqliteDialect } from '../../store/sqlite/dialect.ts'
import { exportedCollections } from './exported.ts'
import type { SnapshotHeader } from './header.ts'
import { readLines } from './read-lines.ts'
import { damaged, SnapshotFault } from './snapshot-fault.ts'

/** A snapshot with the keys that open it. */
export interface OpenedSnapshot {
  readonly file: string
  readonly header: SnapshotHeader
  /** The root key under which the snapshot was taken. */
  readonly root: RootKey
  readonly key: Uint8Array
}

/** A row of a snapshot whose document has the form of its table. */
export interface CheckedRow {
  readonly collection: Collection<never>
  readonly id: string
  readonly document: Readonly<Record<string, unknown>>
  /** The workspace of the row; undefined for the safe and its keys. */
  readonly workspace: string | undefined
}

interface Table {
  readonly collection: Collection<never>
  readonly layout: Layout
}

/**
 * Yields the rows of a snapshot, each after a check: the table is known, the document has the members and types of the
 * columns, no row comes twice, and the root key opens the safe keys. Memory is bounded. A caller must not rely on rows
 * before the end. Throws `SnapshotFault`.
 */
export async function* checkedRows(snapshot: OpenedSnapshot): AsyncGenerator<CheckedRow, void, undefined> {
  const tables = new Map(
    exportedCollections().map(collection => [
      collection.name,
      { collection, layout: layoutOf(collection, sqliteDialect) } satisfies Table,
    ]),
  )
  const seal = new SealCheck(snapshot)
  const order = new RowOrder()
  for await (const { row, table } of readLines(snapshot.file, snapshot.key)) {
    const known = tables.get(table)
    if (known === undefined)
      throw new SnapshotFault(
        `has the table ${JSON.stringify(table.slice(0, 80))}, which this version does not have; restore it with the version that took it`,
      )
    const checked = checkedRow(known, row)
    order.check(table, checked.id)
    seal.check(table, checked)
    yield checked
  }
  seal.end()
}

function checkedRow({ collection, layout }: Table, row: unknown): CheckedRow {
  const damage = damageOf(layout, row)
  if (damage !== undefined || !isRecord(row)) throw damaged(`a row of ${collection.name} is not readable: ${damage}`)
  const id = own(row, layout.id)
  const workspace = collection.name === workspaceKeys.name ? id : own(row, 'workspace_id')
  if (typeof id !== 'string' || id === '') throw damaged(`a row of ${collection.name} has no id`)
  return { collection, id, document: row, workspace: typeof workspace === 'string' ? workspace : undefined }
}

/** Checks that each table comes once, and its rows in the ascending order of their ids, so that no row comes twice. */
class RowOrder {
  readonly #ended = new Set<string>()
  #table = ''
  #last = Buffer.alloc(0)

  check(table: string, id: string): void {
    const bytes = Buffer.from(id)
    if (table !== this.#table) {
      if (this.#ended.has(table)) throw damaged(`the table ${table} comes twice`)
      this.#ended.add(table)
      this.#table = table
    } else if (Buffer.compare(this.#last, bytes) >= 0) throw damaged(`the rows of ${table} are not in order`)
    this.#last = bytes
  }
}

/** Checks the safe and its keys, which all other rows need. */
class SealCheck {
  readonly #snapshot: OpenedSnapshot
  readonly #numbers = new Set<string>()
  #hasSafe = false

  constructor(snapshot: OpenedSnapshot) {
    this.#snapshot = snapshot
  }

  check(table: string, { document, id }: CheckedRow): void {
    const { header, root } = this.#snapshot
    if (table === safes.name) {
      this.#hasSafe = own(document, 'installation_id') === header.installation_id
      if (!this.#hasSafe) throw damaged('its safe is of another installation than its header says')
    } else if (table === safeKeys.name) {
      if (!this.#hasSafe) throw damaged('its safe keys come before its safe')
      if (!isSafeKey(document) || unwrapSafeKey(root, header.installation_id, document) === undefined)
        throw damaged(`the root key does not open its safe key ${id}`)
      this.#numbers.add(id)
    } else if (table === workspaceKeys.name && !this.#numbers.has(String(own(document, 'safe_key'))))
      throw damaged(`the key of workspace ${id} is encrypted under a safe key that it does not have`)
  }

  end(): void {
    if (!this.#hasSafe || this.#numbers.size === 0) throw damaged('it has no safe, or no safe key')
  }
}

const isSafeKey = (row: unknown): row is StoredSafeKey =>
  isRecord(row) &&
  ['id', 'root_key_id', 'root_key_check', 'wrapped', 'create_time'].every(name => typeof own(row, name) === 'string')
