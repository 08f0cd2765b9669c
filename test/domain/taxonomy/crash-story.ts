import { setTimeout as sleep } from 'node:timers/promises'
import type { TaxonomyClient } from '../../../output/taxonomy/client.ts'
import type { TaxonomyOperation } from '../../../output/taxonomy/types.ts'
import { works } from '../../../server/operations/work.ts'
import type { Reader } from '../../../domain/ports/store.ts'
import type { DepotPlatform } from './depot-platform.ts'

/** The ids of the nodes of the story; the name of each node describes its part in the story. */
export interface Cast {
  readonly organisation: string
  /** A group that is suspended, with a workspace whose hook takes longer and a workspace whose hook fails at first. */
  readonly suspended: string
  readonly slow: string
  readonly failing: string
  /** Two archived workspaces: `purged` has resources and is deleted by force; `freed` is empty. */
  readonly purged: string
  readonly freed: string
  /** A group with a suspended workspace, and the target group of its move. */
  readonly moved: string
  readonly resting: string
  readonly target: string
}

/** Makes the tree of the story, and waits until the areas have applied its states; returns the ids. */
export async function setScene({ addThing, client }: DepotPlatform, store: Reader): Promise<Cast> {
  const organisation = (await client.createOrganisation({ body: { name: 'acme' } })).resource_id
  const idOf = async (operation: Promise<TaxonomyOperation>) => (await operation).resource_id
  const group = (name: string) => idOf(client.createGroup({ organisation, body: { name } }))
  const workspace = (name: string, parent_group_id = '') =>
    idOf(client.createWorkspace({ organisation, body: { name, parent_group_id } }))
  const [suspended, moved, target] = [await group('suspended'), await group('moved'), await group('target')]
  const cast: Cast = {
    organisation,
    suspended,
    slow: await workspace('slow', suspended),
    failing: await workspace('failing', suspended),
    purged: await workspace('purged'),
    freed: await workspace('freed'),
    moved,
    resting: await workspace('resting', moved),
    target,
  }
  await addThing(cast.purged)
  for (const id of [cast.purged, cast.freed]) await client.archiveWorkspace({ organisation, id, body: {} })
  await client.suspendWorkspace({ organisation, id: cast.resting, body: {} })
  await quiet(store)
  return cast
}

/**
 * Makes the calls of the story sequentially, with idempotency keys, so that a repetition has no further effects; awaits
 * `next` between the calls.
 */
export async function tell(
  client: TaxonomyClient,
  { freed, moved, organisation, purged, suspended, target }: Cast,
  next: () => Promise<void>,
): Promise<Readonly<Record<'suspend' | 'purge' | 'free' | 'move', TaxonomyOperation>>> {
  const key = (idempotencyKey: string) => ({ idempotencyKey })
  const suspend = await client.suspendGroup({ organisation, id: suspended, body: {} }, key('suspend'))
  await next()
  const purge = await client.deleteWorkspace({ organisation, id: purged, force: true }, key('purge'))
  await next()
  const free = await client.deleteWorkspace({ organisation, id: freed }, key('free'))
  await next()
  const move = await client.moveGroup({ organisation, id: moved, body: { parent_group_id: target } }, key('move'))
  await next()
  return { suspend, purge, free, move }
}

/** Waits until no work is left in a store. */
export async function quiet(store: Reader): Promise<void> {
  while ((await store.count(works)) > 0) await sleep(2)
}
