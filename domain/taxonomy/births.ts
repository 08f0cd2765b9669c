import type { Collection, Stored, Transaction } from '../ports/store.ts'
import type { WorkspaceHooks } from '../ports/taxonomy.ts'
import type { Turn, Worker } from '../ports/workers.ts'
import { organisations, trees, workspaces, type StoredWorkspace } from './nodes.ts'
import { deleting } from './states.ts'

/** How far an area was told of the workspaces that were there before it. */
export interface AreaBirths {
  /** The name of the area. */
  readonly id: string
  /** The last organisation that is done with, by id; empty before the first one. */
  readonly organisation: string
  /** The last workspace that was told of in the organisation behind that one; empty before the first one. */
  readonly workspace: string
  readonly is_done: boolean
}

export const areaBirths: Collection<AreaBirths> = { name: 'taxonomy_area_births', id: 'id' }

/** What the call that made a workspace leaves for an area that is not told of all older ones. */
export interface Birth {
  /** `<area>/<workspace>`. */
  readonly id: string
  readonly area: string
  readonly workspace_id: string
  /** Made by a server that does not know the area, which is still to be told; else it was told by the call. */
  readonly is_owed: boolean
}

export const births: Collection<Birth> = {
  name: 'taxonomy_births',
  id: 'id',
  columns: { area: 'STRING', is_owed: 'BOOLEAN' },
  indexes: [['area', 'is_owed']],
}

type BirthHook = Required<Pick<WorkspaceHooks, 'area' | 'workspaceCreated'>>

/** Rows that one transaction deals with: a few milliseconds, after which others have their turn. */
const batchSize = 20

/** How often is looked for what failed, and for what servers left that do not know an area. */
const everyMs = 60_000

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

const hasBirths = (hooks: WorkspaceHooks): hooks is WorkspaceHooks & BirthHook => hooks.workspaceCreated !== undefined

const birthOf = (area: string, workspace_id: string, is_owed: boolean): Birth => ({
  id: `${area}/${workspace_id}`,
  area,
  workspace_id,
  is_owed,
})

/**
 * Tells the areas of a new workspace in the transaction that makes it and holds its tree alone. An area of which this
 * server knows nothing, since another version of the program runs or ran on the store, is told later by one that does.
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
 * Calls `workspaceCreated` of an area once for each workspace that was made without the area, in batches. How far that
 * has come is kept in the transaction of the batch, so that a process that dies leaves nothing undone and nothing done
 * twice. The lease is named by the area: a server of another version that lacks the area cannot hold it. A hook that
 * fails is tried again every minute.
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

/** Runs a batch until it answers that none is left. */
async function inBatches(turn: Turn, batch: (tx: Transaction) => Promise<boolean>): Promise<void> {
  while (await turn.tx(batch)) {
    await nextTurn()
    turn.signal.throwIfAborted()
  }
}

/**
 * Tells an area of the next workspaces, organisation by organisation; false when none are left. The tree of each is
 * shared before its workspaces are read: what is made or deleted there at this moment is seen, or waits, and who waits
 * sees the row of the area.
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

/** A workspace that is purged may have lost already what the area has in it, so that nothing may be made there. */
async function tell(tx: Transaction, hook: BirthHook, { id, value }: Stored<StoredWorkspace>): Promise<void> {
  if (value.state !== deleting) await hook.workspaceCreated(tx, id)
}

/** Tells an area of workspaces that servers have made which do not know it; false when none are left. */
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

/** Deletes what says that an area was told, which nobody asks for any more; false when nothing is left. */
async function forgetTold(tx: Transaction, area: string): Promise<boolean> {
  let count = 0
  for await (const { id, version } of tx.each(births, { area, is_owed: false })) {
    await tx.delete(births, id, version)
    if ((count += 1) === batchSize) return true
  }
  return false
}
