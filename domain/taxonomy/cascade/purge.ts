import { purgeStepFailed } from '../../../output/taxonomy/errors.ts'
import type { Iam } from '../../ports/iam.ts'
import { again, done, type Procedure, type Step, type StepContext, type WorkOrder } from '../../ports/procedures.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { workspacePurge, type WorkspaceHooks } from '../../ports/taxonomy.ts'
import { dropIdleFollowing, followings, isBusy } from './following.ts'
import { dropArchival } from '../tree/lifecycle.ts'
import { workspaces, type StoredWorkspace } from '../tree/nodes.ts'
import type { TaxonomyEnvironment } from '../tree/taxonomy-environment.ts'
import { deleteOverridesAt } from '../quotas/quota-overrides-store.ts'
import { causeOf, type FollowTimes } from './reconcile.ts'
import { lockTree } from '../tree/tree-lock.ts'
import { endUsage } from '../quotas/usage.ts'

interface PurgeInput {
  readonly workspace: string
}

/** The names of the areas that have finished their purge. */
interface Checkpoint {
  readonly purged: readonly string[]
}

type Context = StepContext<PurgeInput, Checkpoint>

const freeKind = 'taxonomy.sweep'

/** Returns the order for the work of a forced deletion: the areas purge their rows, then the workspace is deleted. */
export const forcedPurge = (workspace: string): WorkOrder => ({ kind: workspacePurge, input: { workspace } })

/**
 * Returns the order for the work after the deletion of an empty workspace: the areas purge the rows that the platform
 * created with the workspace.
 */
export const freePurge = (workspace: string): WorkOrder => ({ kind: freeKind, input: { workspace } })

/** The order in which areas purge (taxonomy.md §4): an area whose rows refer to another area precedes that area. */
const purgeOrder = ['compute', 'network', 'registry', 'storage', 'observability', 'vault', 'iam']

/** Returns the procedures of both purges; the procedures are retried until they succeed. */
export function purgeProcedures(
  { functions, hooks }: TaxonomyEnvironment,
  { restMs, askMs }: Pick<FollowTimes, 'restMs' | 'askMs'>,
): readonly Procedure<PurgeInput, Checkpoint>[] {
  const areas: Step<PurgeInput, Checkpoint> = {
    name: 'areas',
    async run(context) {
      if (await isFollowed(context)) return again(askMs)
      const { purged } = context.checkpoint ?? { purged: [] }
      const all = inOrder(hooks())
      const next = all.find(({ area }) => !purged.includes(area))
      if (next === undefined) return done()
      try {
        await next.purgeWorkspace?.(context.input.workspace)
      } catch (error) {
        const description = `${next.area} could not purge the workspace: ${causeOf(error)}; the purge is retried every minute`
        context.warn({ code: purgeStepFailed.code, description, isOnly: true })
        return again(restMs)
      }
      context.progress(((purged.length + 1) / (all.length + 1)) * 100)
      await context.save({ purged: [...purged, next.area] })
      return again(0)
    },
  }
  const node: Step<PurgeInput, Checkpoint> = {
    name: 'node',
    run: async ({ input }) => done(tx => dropPurged(tx, functions.iam, input.workspace)),
  }
  return [
    { kind: workspacePurge, deadlineMs: 'none', steps: [areas, node] },
    { kind: freeKind, deadlineMs: 'none', steps: [areas] },
  ]
}

/**
 * Returns whether an area is still applying an earlier state. The purge waits for the area, because rows that the area
 * creates in this time would outlive the purge.
 */
async function isFollowed({ input, store }: Context): Promise<boolean> {
  return isBusy((await store.get(followings, input.workspace))?.value)
}

/**
 * Returns the areas in the order of purges. Areas that the order does not name come first, because their rows may refer
 * to any other area.
 */
const inOrder = (all: readonly WorkspaceHooks[]): readonly WorkspaceHooks[] =>
  all.toSorted((one, other) => purgeOrder.indexOf(one.area) - purgeOrder.indexOf(other.area))

async function dropPurged(tx: Transaction, iam: Iam, id: string): Promise<void> {
  const organisation = (await tx.get(workspaces, id))?.value.organisation_id
  if (organisation === undefined) return
  await lockTree(tx, organisation, { workspaces: -1 })
  const stored = await tx.lock(workspaces, id)
  if (stored === undefined) return
  await dropWorkspace(tx, stored)
  await iam.scopeChanged(tx, { type: 'WORKSPACE', id }, 'DELETED')
}

/** Deletes a workspace and all of its rows in taxonomy. The caller has locked the tree and changed its counts. */
export async function dropWorkspace(tx: Transaction, { id, value, version }: Stored<StoredWorkspace>): Promise<void> {
  await endUsage(tx, value.organisation_id, id)
  await deleteOverridesAt(tx, id)
  await dropIdleFollowing(tx, id)
  await dropArchival(tx, id)
  await tx.delete(workspaces, id, version)
}
