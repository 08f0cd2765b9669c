import type { LifecycleState } from '../../../output/taxonomy/types.ts'
import type { Transaction } from '../../ports/store.ts'
import { followings, followingsOf, type Following } from './following.ts'
import { organisations, workspaces, type StoredWorkspace } from '../tree/nodes.ts'
import type { TaxonomyEnvironment } from '../tree/taxonomy-environment.ts'
import { inherit, placesAt } from '../tree/places.ts'
import { ensureFollowed } from './reconcile.ts'
import { active, deleting } from '../tree/states.ts'

/**
 * Starts work for the given workspaces of an organisation whose areas have not applied the effective state, or are
 * applying another state.
 */
export async function followUnfollowed(
  tx: Transaction,
  { clock, operations }: Pick<TaxonomyEnvironment, 'clock' | 'operations'>,
  organisation: string,
  ids: readonly string[],
): Promise<void> {
  for (const workspace of await unfollowed(tx, organisation, ids)) {
    const order = await ensureFollowed(tx, workspace, clock.newId())
    if (order) await operations.follow(tx, { ...order, scope: { type: 'WORKSPACE', id: workspace.id } })
  }
}

/**
 * Returns whether a workspace of the organisation has a following, so that its areas may have to apply another state. A
 * change of state in progress may add followings later.
 */
export const mayHaveUnfollowed = (tx: Transaction, organisation: string): Promise<boolean> =>
  tx.exists(followings, { organisation_id: organisation })

async function unfollowed(
  tx: Transaction,
  organisationId: string,
  ids: readonly string[],
): Promise<readonly StoredWorkspace[]> {
  const organisation = (await tx.get(organisations, organisationId))?.value
  if (organisation === undefined) return []
  const found: StoredWorkspace[] = []
  for await (const { value } of tx.each(workspaces, { id: ids })) found.push(value)
  const parents = found.map(({ parent_group_id }) => parent_group_id)
  const places = await placesAt(tx, organisation, parents)
  const known = await followingsOf(tx, ids)
  return found.filter(({ id, parent_group_id, state }) => {
    const place = places.get(parent_group_id)
    return place && isUnfollowed(inherit(place.effective, state, { type: 'WORKSPACE', id }).state, known.get(id))
  })
}

/**
 * Returns whether a workspace needs work. A workspace in deletion needs no work. While work is in progress, its areas
 * may have applied an earlier state, so the workspace needs work.
 */
function isUnfollowed(effective: LifecycleState, following: Following | undefined): boolean {
  if (effective === deleting) return false
  return following === undefined ? effective !== active : following.work !== '' || following.applied !== effective
}
