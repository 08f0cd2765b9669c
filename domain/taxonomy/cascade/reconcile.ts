import { ApiError } from '../../../runtime/errors.ts'
import type { LifecycleState } from '../../../output/taxonomy/types.ts'
import {
  again,
  done,
  type OperationError,
  type Procedure,
  type StepContext,
  type StepOutcome,
  type WorkFacts,
  type WorkOrder,
} from '../../ports/procedures.ts'
import type { Reader, Transaction } from '../../ports/store.ts'
import type { WorkspaceHooks } from '../../ports/taxonomy.ts'
import { changeFollowing, followings, isBusy, newFollowing, type Following } from './following.ts'
import { locate } from '../tree/locate.ts'
import type { TaxonomyEnvironment } from '../tree/taxonomy-environment.ts'
import { active, bareState, deleting } from '../tree/states.ts'

/** The delays between calls of the areas, in milliseconds. */
export interface FollowTimes {
  /** The delay in milliseconds between two calls of an area that has not yet applied the state. */
  readonly askMs: number
  /** The delays in milliseconds after the first and the second successive failure. */
  readonly retryMs: readonly [number, number]
  /** The delay in milliseconds after the third and every later failure. */
  readonly restMs: number
}

/** The delays of taxonomy.md §4. */
export const followTimes: FollowTimes = { askMs: 1_000, retryMs: [1_000, 2_000], restMs: 60_000 }

interface ReconcileInput {
  readonly workspace: string
  /** The id of this piece of work. The work stops if other work has replaced it. */
  readonly work: string
  /** The number of successive earlier pieces of work that ended unexpectedly. */
  readonly failures?: number
}

/** The state that the areas were last called to apply, and the number of successive failures. */
interface Checkpoint {
  readonly state: LifecycleState
  readonly failures: number
}

type Context = StepContext<ReconcileInput, Checkpoint>

const kind = 'taxonomy.reconcile'

const order = (input: ReconcileInput): WorkOrder & { readonly input: ReconcileInput } => ({ kind, input })

/**
 * Ensures that work brings the areas of a workspace to its effective state, and returns the work to begin, if any. A
 * workspace has one piece of work at a time, so that no area is called concurrently for it. Work that rests after
 * failures is replaced, because the areas may be able to apply the new state.
 */
export async function ensureFollowed(
  tx: Transaction,
  { id, organisation_id }: { readonly id: string; readonly organisation_id: string },
  work: string,
): Promise<WorkOrder | undefined> {
  const stored = await tx.lock(followings, id)
  if (isBusy(stored?.value)) return undefined
  if (stored) await tx.update(followings, id, { ...stored.value, work, is_resting: false }, stored.version)
  else await tx.insert(followings, newFollowing(id, organisation_id, work))
  return order({ workspace: id, work })
}

/** Returns the procedure that brings the areas of one workspace to its present effective state. */
export function reconcileProcedure(
  { clock, hooks, operations }: TaxonomyEnvironment,
  times: FollowTimes,
): Procedure<ReconcileInput, Checkpoint> {
  /** Ends the work, or begins new work if the areas have applied another state than the present state. */
  const finish = async (tx: Transaction, input: ReconcileInput, followed?: LifecycleState): Promise<void> => {
    const { work, workspace: id } = input
    const stored = await tx.lock(followings, id)
    if (stored?.value.work !== work) return
    const state = await effectiveNow(tx, id)
    const isOver = state === undefined || state === deleting || (state === followed && state === active)
    if (isOver) return tx.delete(followings, id, stored.version)
    const next = state === followed ? '' : clock.newId()
    const following: Following = {
      ...stored.value,
      applied: followed ?? stored.value.applied,
      work: next,
      is_resting: false,
      failed_state: '',
      failure: '',
    }
    await tx.update(followings, id, following, stored.version)
    if (next !== '')
      await operations.follow(tx, { ...order({ workspace: id, work: next }), scope: { type: 'WORKSPACE', id } })
  }

  return {
    kind,
    deadlineMs: 'none',
    steps: [
      {
        name: 'follow',
        async run(context) {
          const { store, input } = context
          const isOwn = await takeUp(context)
          const state = isOwn ? await effectiveNow(store, input.workspace) : undefined
          if (state === undefined || state === deleting) return done(tx => finish(tx, input))
          const outcome = await followAll(hooks(), input.workspace, state)
          if (outcome === 'followed') return done(tx => finish(tx, input, state))
          if (outcome !== 'waiting') return failedOnce(context, state, outcome, times)
          if (context.checkpoint !== undefined) await context.save({ state, failures: 0 })
          return again(times.askMs)
        },
      },
    ],
    failed: (tx, facts, [error]) => followAnew(tx, { clock, operations }, facts, error, times),
  }
}

/**
 * Clears `is_resting` before an attempt of this work. Returns false if other work has replaced this work, otherwise
 * true.
 */
async function takeUp({ input, store, tx }: Context): Promise<boolean> {
  const following = (await store.get(followings, input.workspace))?.value
  if (following?.work !== input.work) return false
  if (!following.is_resting) return true
  const taken = await tx(inner => changeFollowing(inner, input.workspace, input.work, { is_resting: false }))
  return taken !== undefined
}

async function effectiveNow(reader: Reader, workspace: string): Promise<LifecycleState | undefined> {
  return (await locate(reader, { type: 'WORKSPACE', id: workspace }))?.effective.state
}

/** An area that failed to apply a state, and the reason for people. */
interface Failure {
  readonly area: string
  readonly cause: string
}

/**
 * Calls every area once; the failure of an area does not stop the calls of the others. Returns the first failure;
 * otherwise `waiting` if an area has not yet applied the state, and `followed` if all have.
 */
async function followAll(
  areas: readonly WorkspaceHooks[],
  workspace: string,
  state: LifecycleState,
): Promise<'followed' | 'waiting' | Failure> {
  let failure: Failure | undefined
  let isWaiting = false
  for (const hooks of areas) {
    try {
      const isSettled = (await hooks.reconcileWorkspace?.(workspace, bareState(state))) ?? true
      isWaiting ||= !isSettled
    } catch (error) {
      failure ??= { area: hooks.area, cause: causeOf(error) }
    }
  }
  return failure ?? (isWaiting ? 'waiting' : 'followed')
}

/** Returns the message of an error from an area if the message is meant for callers, otherwise `internal error`. */
export const causeOf = (error: unknown): string => (error instanceof ApiError ? error.message : 'internal error')

/**
 * Returns the outcome that repeats the work after a failure: after 1 and 2 seconds, and from the third failure on after
 * a rest. If the state has changed, the work is repeated immediately and the next failure counts as the first.
 */
async function failedOnce(
  context: Context,
  state: LifecycleState,
  { area, cause }: Failure,
  { restMs, retryMs }: FollowTimes,
): Promise<StepOutcome> {
  const { checkpoint, input } = context
  const failures = (checkpoint?.state === state ? checkpoint.failures : 0) + 1
  const retry = retryMs[failures - 1]
  const rest: Partial<Following> = { is_resting: true, failed_state: state, failure: `${area}: ${cause}` }
  let isOld = false
  await context.save({ state, failures }, async tx => {
    await tx.lock(followings, input.workspace)
    isOld = (await effectiveNow(tx, input.workspace)) !== state
    if (retry === undefined && !isOld) await changeFollowing(tx, input.workspace, input.work, rest)
  })
  return again(isOld ? 0 : (retry ?? restMs))
}

/**
 * Replaces work that ended unexpectedly, so that the ended work does not block the workspace. The new work waits as
 * long as after failures of an area, and can be replaced while it rests.
 */
async function followAnew(
  tx: Transaction,
  { clock, operations }: Pick<TaxonomyEnvironment, 'clock' | 'operations'>,
  { checkpoint, input }: WorkFacts<ReconcileInput, Checkpoint>,
  error: OperationError,
  { restMs, retryMs }: FollowTimes,
): Promise<void> {
  const { work, workspace: id } = input
  const failures = Math.max(input.failures ?? 0, checkpoint?.failures ?? 0) + 1
  const retry = retryMs[failures - 1]
  const rest = { is_resting: true, failed_state: checkpoint?.state ?? '', failure: `taxonomy: ${error.description}` }
  const next = clock.newId()
  const changes = { work: next, ...(retry === undefined && rest) }
  if ((await changeFollowing(tx, id, work, changes)) === undefined) return
  const scope = { type: 'WORKSPACE', id } as const
  await operations.follow(tx, { ...order({ workspace: id, work: next, failures }), scope, afterMs: retry ?? restMs })
}
