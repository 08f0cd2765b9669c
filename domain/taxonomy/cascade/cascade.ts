import { lifecycleHookFailed, lifecycleSuperseded } from '../../../output/taxonomy/errors.ts'
import {
  again,
  done,
  failed,
  type OperationError,
  type Procedure,
  type Step,
  type StepContext,
  type StepOutcome,
} from '../../ports/procedures.ts'
import type { Reader, Where } from '../../ports/store.ts'
import { cascadeKind, catchUpKind, type CascadeInput, type Subtree } from '../tree/cascade-order.ts'
import { followingsOf, isBusy, type Following } from './following.ts'
import { locate } from '../tree/locate.ts'
import { workspaces } from '../tree/nodes.ts'
import type { TaxonomyEnvironment } from '../tree/taxonomy-environment.ts'
import { groupsIn } from '../tree/places.ts'
import { followUnfollowed } from './unfollowed.ts'

/** The maximal number of workspaces that one transaction reads, and of workspaces that are watched at a time. */
const batchSize = 100

/** The maximal number of errors in an operation. */
const maxErrors = 100

/** The checkpoint of a cascade. The cascade walks the subtree twice, in the order of the ids of its workspaces. */
interface Checkpoint {
  /** The number of workspaces in the subtree at the beginning of the cascade. */
  readonly total: number
  /** The id of the last workspace for which the first walk has started a follow-up where needed. */
  readonly begun: string
  /** The id of the last workspace that the second walk has begun to watch. */
  readonly watched: string
  /** The ids of the watched workspaces whose follow-up is still in progress. */
  readonly busy: readonly string[]
  /** The number of workspaces whose follow-up has ended or failed. */
  readonly ended: number
  readonly errors: readonly OperationError[]
  /** The number of successive polls in which no follow-up ended; the waits grow with this number. */
  readonly waits: number
}

const start: Checkpoint = { total: 0, begun: '', watched: '', busy: [], ended: 0, errors: [], waits: 0 }

/**
 * Returns the procedures after a change of state and after a move. Both bring the areas of every workspace at and below
 * the node to the effective state of the workspace. The effective state is read when the work acts on it, so a later
 * verb wins. The work has no deadline.
 */
export function cascadeProcedures(
  parts: TaxonomyEnvironment,
): readonly [Procedure<CascadeInput, Checkpoint>, Procedure<Subtree, Checkpoint>] {
  const begin: Step<Subtree, Checkpoint> = { name: 'begin', run: context => beginNext(parts, context) }
  const wait: Step<CascadeInput, Checkpoint> = { name: 'wait', run: waitForAll }
  return [
    { kind: cascadeKind, deadlineMs: 'none', steps: [begin, wait] },
    { kind: catchUpKind, deadlineMs: 'none', steps: [begin] },
  ]
}

/**
 * Starts follow-ups for the next workspaces whose areas have not applied the effective states. Returns the outcome that
 * repeats the step until no workspace is left.
 */
async function beginNext(parts: TaxonomyEnvironment, context: StepContext<Subtree, Checkpoint>): Promise<StepOutcome> {
  const { input, store } = context
  const where = await whereBelow(store, input)
  const checkpoint = context.checkpoint ?? { ...start, total: await store.count(workspaces, where) }
  const batch = await idsBehind(store, where, checkpoint.begun, batchSize)
  const last = batch.at(-1)
  if (last === undefined) return done()
  await context.save({ ...checkpoint, begun: last }, tx => followUnfollowed(tx, parts, input.organisation, batch))
  return again(0)
}

/**
 * Watches the follow-ups in progress, and returns the outcome that repeats the step until no follow-up is left. A slow
 * follow-up does not delay the report of the others.
 */
async function waitForAll(context: StepContext<CascadeInput, Checkpoint>): Promise<StepOutcome> {
  const { input, store } = context
  const { busy, watched, ...checkpoint } = context.checkpoint ?? start
  const room = batchSize - busy.length
  const batch = room > 0 ? await idsBehind(store, await whereBelow(store, input), watched, room) : []
  const all = [...busy, ...batch]
  if (all.length === 0) return endOf(context, checkpoint.errors)
  const found = await followingsOf(store, all)
  const left = all.filter(id => isBusy(found.get(id)))
  const errors = await errorsOf(store, [...found.values()])
  const ended = checkpoint.ended + all.length - left.length
  const waits = all.length > left.length ? 0 : checkpoint.waits + 1
  context.progress(Math.floor((ended / Math.max(1, checkpoint.total, ended + left.length)) * 99))
  await context.save({
    ...checkpoint,
    watched: batch.at(-1) ?? watched,
    busy: left,
    ended,
    errors: [...checkpoint.errors, ...errors].slice(0, maxErrors),
    waits,
  })
  const isMoreInSight = batch.length > 0 && left.length < batchSize
  return again(isMoreInSight ? 0 : waitMs(waits))
}

/**
 * Returns the delay before the next poll in milliseconds: from 50, doubling up to 1,000, the interval at which areas
 * are polled.
 */
const waitMs = (waits: number): number => Math.min(1_000, 50 * 2 ** Math.min(waits, 5))

/** Returns the failures of workspaces after three attempts, as errors of the operation. */
async function errorsOf(reader: Reader, found: readonly Following[]): Promise<readonly OperationError[]> {
  const { code, reason } = lifecycleHookFailed
  const errors: OperationError[] = []
  for (const { failed_state, failure, id, is_resting } of found) {
    const name = is_resting ? (await reader.get(workspaces, id))?.value.name : undefined
    if (name === undefined) continue
    const what = failed_state === '' ? 'follow its state' : `become ${failed_state}`
    errors.push({ code, reason, description: `workspace ${name} could not ${what}: ${failure}` })
  }
  return errors
}

/**
 * Returns the outcome of the cascade. If a later verb has decided the state, failures under this verb no longer count,
 * and the outcome is done with a warning. A verb needs an active parent, so the state that it set was the effective
 * state. A different effective state therefore comes from a later verb on the node or above it. A different
 * `state_change_time` proves a later verb on the node, even if the state is the same again.
 */
async function endOf(
  context: StepContext<CascadeInput, Checkpoint>,
  [first, ...others]: readonly OperationError[],
): Promise<StepOutcome> {
  const { scope, state, time } = context.input
  const now = await locate(context.store, scope)
  if (now?.effective.state !== state || now.changed !== time) {
    const description = `a later call replaced the state ${state} of ${scope.type} ${scope.id}`
    context.warn({ code: lifecycleSuperseded.code, description, isOnly: true })
    return done()
  }
  return first === undefined ? done() : failed(first, ...others)
}

/** Returns the filter for the workspaces at and below the node of a cascade. */
async function whereBelow(reader: Reader, { organisation, scope }: Subtree): Promise<Where> {
  if (scope.type === 'ORGANISATION') return { organisation_id: organisation }
  if (scope.type === 'WORKSPACE') return { id: scope.id }
  const parents = (await groupsIn(reader, [scope.id])).map(({ id }) => id)
  return { organisation_id: organisation, parent_group_id: parents }
}

async function idsBehind(reader: Reader, where: Where, after: string, most: number): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const { id } of reader.each(workspaces, where, after)) {
    if (ids.push(id) === most) break
  }
  return ids
}
