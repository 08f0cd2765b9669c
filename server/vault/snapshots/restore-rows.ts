import { workspaceScope } from '../../../domain/resources/kind.ts'
import type { Collection, Transaction } from '../../../domain/ports/store.ts'
import type { Taxonomy } from '../../../domain/ports/taxonomy.ts'
import { safeId, safeKeys, safes } from '../../../domain/vault/seal/seal-store.ts'
import { clearRows, dropNamesakes, tombstoneTables } from '../../../domain/vault/snapshots/replaced-rows.ts'
import { settleAuthorities } from '../../../domain/vault/snapshots/settle-authorities.ts'
import { settleRestored } from '../../../domain/vault/snapshots/settle-restored.ts'
import { settleTombstones } from '../../../domain/vault/snapshots/settle-tombstones.ts'
import { checkedRows, type CheckedRow, type OpenedSnapshot } from './checked-rows.ts'
import { exportedCollections } from './exported.ts'
import { relink } from './relink.ts'
import { SnapshotFault } from './snapshot-fault.ts'

/** The options of a restore into a store. */
export interface RestoreOptions {
  readonly snapshot: OpenedSnapshot
  readonly taxonomy: Pick<Taxonomy, 'effectiveState'>
  /** Whether the rows of the store's vault are replaced; otherwise the vault must be empty. */
  readonly isReplacing: boolean
  /** The current time in milliseconds since 1970. */
  readonly now: number
}

/** The numbers of a restore, for people. */
export interface RestoredRows {
  readonly restored: number
  /** The number of rows that the replaced vault has ended, and that stay as they are there. */
  readonly ended: number
  /** The number of rows whose workspace does not exist. */
  readonly left: number
  /** The number of workspaces of the rows that were left out. */
  readonly leftWorkspaces: number
}

/**
 * Restores the rows of a snapshot in the transaction of the caller, and changes what must not rise again. Throws
 * `SnapshotFault` for a vault that is not empty and is not replaced.
 */
export async function restoreRows(tx: Transaction, options: RestoreOptions): Promise<RestoredRows> {
  const { isReplacing, now, snapshot } = options
  const collections = exportedCollections()
  const isOfSeal = ({ name }: Collection<never>): boolean => name === safes.name || name === safeKeys.name
  const rows = collections.filter(collection => !isOfSeal(collection))
  if (!isReplacing) await requireEmpty(tx, rows)
  await clearRows(tx, rows)
  const counts = await insertRows(tx, options)
  if (isReplacing) await settleTombstones(tx)
  await settleAuthorities(tx, now)
  await settleRestored(tx, snapshot.header.snapshot_id, now)
  await relink(tx)
  return counts
}

async function requireEmpty(tx: Transaction, collections: readonly Collection<never>[]): Promise<void> {
  for (const collection of collections) {
    if (!(await tx.exists(collection, {}))) continue
    throw new SnapshotFault(
      'can only be restored into an empty vault, and the vault of this store has rows; say --replace to replace them',
    )
  }
}

async function insertRows(tx: Transaction, options: RestoreOptions): Promise<RestoredRows> {
  const places = new Workspaces(tx, options.taxonomy)
  let restored = 0
  let ended = 0
  let left = 0
  for await (const row of checkedRows(options.snapshot)) {
    if (row.workspace !== undefined && !(await places.has(row.workspace))) left += 1
    else if (await insertRow(tx, row)) restored += 1
    else ended += 1
  }
  if (places.found === 0 && places.missing > 0)
    throw new SnapshotFault(
      'belongs to another platform: none of its workspaces exists here; restore the store of the platform first ("ninefold restore")',
    )
  return { restored, ended, left, leftWorkspaces: places.missing }
}

/** Inserts a row; returns false if the replaced vault has ended the row. */
async function insertRow(tx: Transaction, { collection, document, id }: CheckedRow): Promise<boolean> {
  if (collection.name === safes.name) await dropOtherSafe(tx, document)
  const isOfSeal = collection.name === safes.name || collection.name === safeKeys.name
  if (isOfSeal || tombstoneTables.has(collection.name)) {
    const stored = await tx.get(collection, id)
    if (stored !== undefined && !isOfSeal) return false
    if (stored !== undefined) await tx.delete(collection, id, stored.version)
    if (!isOfSeal) await dropNamesakes(tx, collection, id, document)
  }
  // The document was checked against the columns of its collection.
  await tx.insert(collection, document as never)
  return true
}

/**
 * Deletes the safe keys of another installation, which a first start has made. The keys of the same installation stay,
 * because a later rotation of the root key may have added some.
 */
async function dropOtherSafe(tx: Transaction, document: CheckedRow['document']): Promise<void> {
  const safe = await tx.get(safes, safeId)
  if (safe === undefined || document['installation_id'] === safe.value.installation_id) return
  for await (const { id, version } of tx.each(safeKeys)) await tx.delete(safeKeys, id, version)
}

/** The workspaces of a snapshot: a purged workspace must not come back, so its rows are left out. */
class Workspaces {
  readonly #tx: Transaction
  readonly #taxonomy: Pick<Taxonomy, 'effectiveState'>
  readonly #known = new Map<string, boolean>()

  constructor(tx: Transaction, taxonomy: Pick<Taxonomy, 'effectiveState'>) {
    this.#tx = tx
    this.#taxonomy = taxonomy
  }

  /** The number of asked workspaces that exist. */
  get found(): number {
    return this.#known.size - this.missing
  }

  /** The number of asked workspaces that do not exist. */
  get missing(): number {
    return [...this.#known.values()].filter(isThere => !isThere).length
  }

  async has(workspace: string): Promise<boolean> {
    const known = this.#known.get(workspace)
    if (known !== undefined) return known
    const effective = await this.#taxonomy.effectiveState(this.#tx, workspaceScope(workspace))
    const isThere = effective !== undefined && effective.state !== 'DELETING'
    this.#known.set(workspace, isThere)
    return isThere
  }
}
