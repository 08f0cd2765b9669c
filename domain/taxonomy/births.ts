import type { Collection, Stored, Transaction } from '../ports/store.ts'
import type { WorkspaceHooks } from '../ports/taxonomy.ts'
import type { Turn, Worker } from '../ports/workers.ts'
import { trees, workspaces, type StoredWorkspace } from './nodes.ts'
import { deleting } from './states.ts'

/** How far an area has made what the workspaces need that were there before the area was. */
export interface AreaBirths {
  /** The name of the area. */
  readonly id: string
  /** The last workspace that was dealt with, by id; empty before the first one. */
  readonly after: string
  /** All workspaces were dealt with; from then on each is told of by the call that makes it. */
  readonly is_done: boolean
}

export const areaBirths: Collection<AreaBirths> = { name: 'taxonomy_area_births', id: 'id' }

/** A workspace that was made, and told of, while the area was still being told of the older ones. */
export interface ToldBirth {
  /** `<area>/<workspace>`. */
  readonly id: string
  readonly area: string
}

export const toldBirths: Collection<ToldBirth> = {
  name: 'taxonomy_told_births',
  id: 'id',
  columns: { area: 'STRING' },
  indexes: [['area']],
}

type BirthHooks = WorkspaceHooks & Required<Pick<WorkspaceHooks, 'workspaceCreated'>>
type Hooks = () => readonly WorkspaceHooks[]

/** Workspaces that one transaction deals with: a few milliseconds, after which others have their turn. */
const batchSize = 20

/** Rows that one transaction deletes. */
const sweptAtOnce = 100

/** How often an area that has failed is told again. */
const everyMs = 60_000

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

const hasBirths = (hooks: WorkspaceHooks): hooks is BirthHooks => hooks.workspaceCreated !== undefined

const markOf = (area: string, workspace: string): string => `${area}/${workspace}`

/**
 * Tells the areas of a new workspace in the transaction that makes it and holds its tree alone. `settled` has the areas
 * that no older workspace is left for; this function adds what it finds out.
 */
export async function tellBirth(
  tx: Transaction,
  hooks: readonly WorkspaceHooks[],
  settled: Set<string>,
  workspace: string,
): Promise<void> {
  for (const hook of hooks.filter(hasBirths)) {
    const { area } = hook
    if (!settled.has(area)) {
      const isDone = (await tx.get(areaBirths, area))?.value.is_done ?? false
      if (isDone) tx.afterCommit(() => settled.add(area))
      else await tx.insert(toldBirths, { id: markOf(area, workspace), area })
    }
    await hook.workspaceCreated(tx, workspace)
  }
}

/**
 * Calls `workspaceCreated` of each area once for each workspace that was there before the area was, in batches by id.
 * How far that has come is kept in the transaction of the batch, so that a process that dies leaves nothing undone and
 * nothing done twice. An area that fails holds up no other one, and is tried again every minute.
 */
export function birthsWorker(hooks: Hooks): Worker {
  const settled = new Set<string>()
  return {
    name: 'taxonomy.births',
    everyMs,
    async run(turn) {
      const failures: Error[] = []
      for (const hook of hooks().filter(hasBirths)) {
        if (settled.has(hook.area)) continue
        try {
          await tellOlder(turn, hook)
          settled.add(hook.area)
        } catch (cause) {
          turn.signal.throwIfAborted()
          failures.push(new Error(`${hook.area} could not be told of the workspaces from before it`, { cause }))
        }
      }
      if (failures.length > 0) throw new AggregateError(failures, failures.map(({ message }) => message).join('; '))
    },
  }
}

async function tellOlder(turn: Turn, hook: BirthHooks): Promise<void> {
  while (await turn.tx(tx => tellBatch(tx, hook))) await breathe(turn)
  while (await turn.tx(tx => forget(tx, hook.area))) await breathe(turn)
}

async function breathe({ signal }: Turn): Promise<void> {
  await nextTurn()
  signal.throwIfAborted()
}

/** Tells an area of the next workspaces; false when none are left. */
async function tellBatch(tx: Transaction, hook: BirthHooks): Promise<boolean> {
  const { area } = hook
  const kept = (await tx.lock(areaBirths, area)) ?? (await tx.insert(areaBirths, { id: area, after: '', is_done: false }))
  if (kept.value.is_done) return false
  const batch = await workspacesBehind(tx, kept.value.after)
  // A workspace is made and deleted by transactions that hold the tree alone: from here on all of them stay as they are.
  const organisations = new Set(batch.map(({ value }) => value.organisation_id))
  for (const organisation of [...organisations].toSorted()) await tx.share(trees, organisation)
  for (const { id } of batch) if (await isUntold(tx, area, id)) await hook.workspaceCreated(tx, id)
  const next = { id: area, after: batch.at(-1)?.id ?? kept.value.after, is_done: batch.length < batchSize }
  await tx.update(areaBirths, area, next, kept.version)
  return !next.is_done
}

async function workspacesBehind(tx: Transaction, after: string): Promise<readonly Stored<StoredWorkspace>[]> {
  const found: Stored<StoredWorkspace>[] = []
  for await (const workspace of tx.each(workspaces, {}, after)) {
    found.push(workspace)
    if (found.length === batchSize) break
  }
  return found
}

/** A workspace that is purged may have lost already what the area has in it, so that nothing may be made there. */
async function isUntold(tx: Transaction, area: string, id: string): Promise<boolean> {
  const workspace = await tx.get(workspaces, id)
  if (workspace === undefined || workspace.value.state === deleting) return false
  return (await tx.get(toldBirths, markOf(area, id))) === undefined
}

/** Deletes marks that nobody asks for any more; false when none are left. */
async function forget(tx: Transaction, area: string): Promise<boolean> {
  let count = 0
  for await (const { id, version } of tx.each(toldBirths, { area })) {
    await tx.delete(toldBirths, id, version)
    count += 1
    if (count === sweptAtOnce) return true
  }
  return false
}
