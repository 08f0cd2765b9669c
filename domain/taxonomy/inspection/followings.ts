import { isRecord, own } from '../../../runtime/validation.ts'
import type { Finding, Inspection } from '../../ports/inspection.ts'
import { cascadeKind, catchUpKind } from '../tree/cascade-order.ts'
import { followings, type Following } from '../cascade/following.ts'
import { workspaceKind } from '../tree/kinds.ts'
import { scopesOf } from '../tree/locate.ts'
import { workspaces, type StoredWorkspace } from '../tree/nodes.ts'
import { inherit, type Places } from '../tree/places.ts'
import { forcedPurge } from '../cascade/purge.ts'
import { active, deleting } from '../tree/states.ts'
import { batches, documentsOf } from './batches.ts'
import { finding } from './finding.ts'
import type { Scope } from '../../ports/scope.ts'

const type = 'taxonomy.followings'

/**
 * Checks that the work of each following exists, that the organisation of a following is the organisation of its
 * workspace, and that the workspace exists unless the work is in progress.
 */
export async function* inspectFollowings(inspection: Inspection): AsyncGenerator<Finding, void, undefined> {
  const { reader } = inspection
  for await (const batch of batches(reader.each(followings))) {
    const found = await documentsOf(
      reader,
      workspaces,
      batch.map(({ id }) => id),
    )
    for (const { id, value } of batch) {
      const isWorkedOn = value.work !== '' && (await isThere(inspection, value))
      if (value.work !== '' && !isWorkedOn) {
        yield finding(type, id, `names the work ${value.work}, which does not exist`)
      }
      const owner = found.get(id)?.organisation_id ?? value.organisation_id
      if (value.organisation_id !== owner) {
        const message = `has the organisation_id "${value.organisation_id}"; by its workspace it must be "${owner}"`
        yield finding(type, id, message)
      }
      if (!found.has(id) && !isWorkedOn) {
        yield finding(type, id, `belongs to workspace ${id}, which does not exist; the row must be deleted too`)
      }
    }
  }
}

/**
 * Returns whether the work of a following exists. The input of the work has the id of the work as its member `work`.
 */
async function isThere({ workAt }: Inspection, { id, work }: Following): Promise<boolean> {
  const orders = await workAt({ type: 'WORKSPACE', id })
  return orders.some(({ input }) => isRecord(input) && own(input, 'work') === work)
}

const cascadeKinds = [cascadeKind, catchUpKind]

/** Checks that work brings each workspace of an organisation to its effective state. */
export class Followed {
  readonly #inspection: Inspection
  readonly #places: Places
  /** Whether a cascade is in progress at a node, keyed by node id. */
  readonly #cascades = new Map<string, Promise<boolean>>()

  constructor(inspection: Inspection, places: Places) {
    this.#inspection = inspection
    this.#places = places
  }

  async *inspect(
    workspace: StoredWorkspace,
    following: Following | undefined,
  ): AsyncGenerator<Finding, void, undefined> {
    const { id, parent_group_id, state } = workspace
    const place = this.#places.get(parent_group_id)
    if (place === undefined) return
    const scope = { type: 'WORKSPACE', id } as const
    const effective = inherit(place.effective, state, scope).state
    if (effective === deleting) {
      if (await this.#works(scope, [forcedPurge(id).kind])) return
      yield finding(workspaceKind.resourceType, id, 'is being deleted, but no work purges it')
      return
    }
    const applied = following?.applied ?? active
    if (applied === effective || (following !== undefined && following.work !== '')) return
    for (const each of [scope, ...scopesOf(place)]) if (await this.#cascadesAt(each)) return
    const message = `is effectively ${effective}, but the areas have applied ${applied}, and no work applies the effective state`
    yield finding(workspaceKind.resourceType, id, message)
  }

  #cascadesAt(scope: Scope): Promise<boolean> {
    if (scope.type === 'WORKSPACE') return this.#works(scope, cascadeKinds)
    const known = this.#cascades.get(scope.id) ?? this.#works(scope, cascadeKinds)
    this.#cascades.set(scope.id, known)
    return known
  }

  async #works(scope: Scope, kinds: readonly string[]): Promise<boolean> {
    return (await this.#inspection.workAt(scope)).some(({ kind }) => kinds.includes(kind))
  }
}
