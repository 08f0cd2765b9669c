import type { Collection, Stored, Transaction } from '../ports/store.ts'
import type { WorkspaceHooks } from '../ports/taxonomy.ts'
import type { Turn, Worker } from '../ports/workers.ts'
import { nextTurn } from '../resources/next-turn.ts'
import { organisations, trees, workspaces, type StoredWorkspace } from './tree/nodes.ts'
import { deleting } from './tree/states.ts'

/**
 * The progress of one area through the workspaces that are older than the area: for each of them, the area's
 * `workspaceCreated` is called.
 */
export interface AreaBirths {
  /** The name of the area. */
  readonly id: string
  /** The id of the last organisation whose workspaces are all done; empty before the first. */
  readonly organisation: string
  /** The id of the last workspace that is done in the next organisation; empty if none is done there. */
  readonly workspace: string
  readonly is_done: boolean
}

/** The progress of all areas. */
export const areaBirths: Collection<AreaBirths> = { name: 'taxonomy_area_births', id: 'id' }

/**
 * A row that the creation of a workspace writes for an area, if the area has not yet been called for all older
 * workspaces, or if the creating server lacks the area.
 */
export interface Birth {
  /** The id in the form `<area>/<workspace>`. */
  readonly id: string
  readonly area: string
  readonly workspace_id: string
  /**
   * Whether a server without the area created the workspace, so that the area must still be called. Otherwise the
   * creation has called the area.
   */
  readonly is_owed: boolean
}

/** The rows for new workspaces. */
export const births: Collection<Birth> = {
  name: 'taxonomy_births',
  id: 'id',
  columns: { area: 'STRING', is_owed: 'BOOLEAN' },
  indexes: [['area', 'is_owed']],
}

type BirthHook = Required<Pick<WorkspaceHooks, 'area' | 'workspaceCreated'>>

/** The maximal number of rows in one transaction, which then takes a few milliseconds and does not delay other work. */
const batchSize = 20

/**
 * The interval in milliseconds after which failed calls are retried and new rows of servers without the area are read.
 */
const everyMs = 60_000

const hasBirths = (hooks: WorkspaceHooks): hooks is WorkspaceHooks & BirthHook => hooks.workspaceCreated !== undefined

const birthOf = (area: string, workspace_id: string, is_owed: boolean): Birth => ({
  id: `${area}/${workspace_id}`,
  area,
  workspace_id,
  is_owed,
})

/**
 * Calls `workspaceCreated` of the areas for a new workspace, in the transaction that creates the workspace and has
 * locked its tree. Writes a row for each area that this server lacks, so that a server with the area calls the area
 * later; and a row for each area that was not yet called for all older workspaces, so that the area is not called again
 * for the new workspace.
 */
export async function tellBirth(tx: Transaction, hooks: readonly WorkspaceHooks[], workspace: string): Promise<void> {
  const known = hooks.filter(hasBirths)
  const owed = new Map<string, AreaBirths>()
  for await (const { id, value } of tx.each(areaBirths)) owed.set(id, value)
  for (const hook of known) {
    if (owed.get(hook.area)?.is_done !== true) await tx.insert(births, birthOf(hook.area, workspace, false))
    owed.delete(hook.area)
    await hook.workspaceCreated(tx, workspace)
  }
  for (const area of owed.keys()) await tx.insert(births, birthOf(area, workspace, true))
}

/**
 * Returns the worker that calls `workspaceCreated` of an area once for each workspace that was created without the
 * area, in batches. The progress is stored in the transaction of the batch, so that a killed process neither skips nor
 * repeats a call. The lease is named after the area, so a server of another version without the area cannot hold the
 * lease. A failed hook is retried every minute.
 */
export function birthsWorker(area: string, workspaceCreated: BirthHook['workspaceCreated']): Worker {
  const hook: BirthHook = { area, workspaceCreated }
  let isSettled = false
  return {
    name: `${area}.births`,
    everyMs,
    async run(turn) {
      if (!isSettled) {
        await inBatches(turn, tx => tellOlder(tx, hook))
        await inBatches(turn, tx => forgetTold(tx, area))
      }
      isSettled = true
      await inBatches(turn, tx => tellOwed(tx, hook))
    },
  }
}

/** Runs batches, each in a transaction of its own, until a batch returns false. */
async function inBatches(turn: Turn, batch: (tx: Transaction) => Promise<boolean>): Promise<void> {
  while (await turn.tx(batch)) {
    await nextTurn()
    turn.signal.throwIfAborted()
  }
}

/**
 * Calls an area for the next workspaces, organisation by organisation; returns false if no workspace is left. The tree
 * of each organisation is shared before its workspaces are read: a concurrent creation or deletion is then either
 * visible or waits, and a waiting creation sees the row of the area.
 */
async function tellOlder(tx: Transaction, hook: BirthHook): Promise<boolean> {
  const fresh: AreaBirths = { id: hook.area, organisation: '', workspace: '', is_done: false }
  const kept = (await tx.lock(areaBirths, hook.area)) ?? (await tx.insert(areaBirths, fresh))
  if (kept.value.is_done) return false
  const next = await toldBatch(tx, hook, kept.value)
  await tx.update(areaBirths, hook.area, next, kept.version)
  return !next.is_done
}

async function toldBatch(tx: Transaction, hook: BirthHook, from: AreaBirths): Promise<AreaBirths> {
  const at = (done: string, workspace: string, is_done = false): AreaBirths => ({
    id: from.id,
    organisation: done,
    workspace,
    is_done,
  })
  let [before, workspace] = [from.organisation, from.workspace]
  let count = 0
  for await (const { id: organisation } of tx.each(organisations, {}, before)) {
    await tx.share(trees, organisation)
    for await (const row of tx.each(workspaces, { organisation_id: organisation }, workspace)) {
      if ((await tx.get(births, birthOf(hook.area, row.id, false).id)) === undefined) await tell(tx, hook, row)
      if ((count += 1) === batchSize) return at(before, row.id)
    }
    ;[before, workspace] = [organisation, '']
    if ((count += 1) === batchSize) return at(before, workspace)
  }
  return at(before, workspace, true)
}

/**
 * Calls an area for a workspace. A workspace in deletion is skipped, because its purge may already have deleted the
 * rows of the area.
 */
async function tell(tx: Transaction, hook: BirthHook, { id, value }: Stored<StoredWorkspace>): Promise<void> {
  if (value.state !== deleting) await hook.workspaceCreated(tx, id)
}

/**
 * Calls an area for workspaces that servers without the area created; returns true if more such workspaces may be left.
 */
async function tellOwed(tx: Transaction, hook: BirthHook): Promise<boolean> {
  let count = 0
  for await (const { id, value, version } of tx.each(births, { area: hook.area, is_owed: true })) {
    const found = await tx.get(workspaces, value.workspace_id)
    if (found) await tx.share(trees, found.value.organisation_id)
    const workspace = found && (await tx.get(workspaces, found.id))
    if (workspace) await tell(tx, hook, workspace)
    await tx.delete(births, id, version)
    if ((count += 1) === batchSize) return true
  }
  return false
}

/** Deletes the rows of completed calls; returns true if more rows may be left. */
async function forgetTold(tx: Transaction, area: string): Promise<boolean> {
  let count = 0
  for await (const { id, version } of tx.each(births, { area, is_owed: false })) {
    await tx.delete(births, id, version)
    if ((count += 1) === batchSize) return true
  }
  return false
}
