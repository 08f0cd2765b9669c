import type { LifecycleState } from '../../../output/taxonomy/types.ts'
import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import type { NodeKind, StoredNode } from '../tree/kinds.ts'
import { archivals, type Archival } from '../tree/nodes.ts'
import { active, archived, deleting, suspended } from '../tree/states.ts'
import { documentsOf } from './batches.ts'
import { finding } from './finding.ts'

/** The former states of archived nodes, keyed by node id. */
export type StatesBefore = ReadonlyMap<string, Archival>

/** Returns the former states of the given nodes, keyed by node id; the map lacks nodes without a former state. */
export const statesBefore = (reader: Reader, ids: readonly string[]): Promise<StatesBefore> =>
  documentsOf(reader, archivals, ids)

const statesOf: Readonly<Record<NodeKind<never>['scopeType'], readonly LifecycleState[]>> = {
  ORGANISATION: [active, suspended, archived],
  GROUP: [active, suspended, archived],
  WORKSPACE: [active, suspended, archived, deleting],
}

/**
 * Checks that a node has a state of its kind, and that it has a former state if and only if it is archived. A workspace
 * in deletion may have a former state too.
 */
export function* inspectState(
  { noun, resourceType, scopeType }: Pick<NodeKind<never>, 'noun' | 'resourceType' | 'scopeType'>,
  { id, state }: StoredNode,
  before: StatesBefore,
): Generator<Finding, void, undefined> {
  const allowed = statesOf[scopeType]
  if (!allowed.includes(state)) {
    yield finding(resourceType, id, `has the state ${state}; it must be one of ${allowed.join(', ')}`)
  }
  const kept = before.get(id)
  if (kept === undefined) {
    if (state !== archived) return
    yield finding(resourceType, id, 'is archived, but has no former state to which a restoration could lead')
    return
  }
  if (state !== archived && state !== deleting) {
    const message = `keeps a state for ${noun} ${id}, which is ${state}; only archived nodes are restored`
    yield finding('taxonomy.archivals', id, message)
  }
  if (kept.state !== active && kept.state !== suspended) {
    const message = `would restore ${noun} ${id} to ${kept.state}; it must be ${active} or ${suspended}`
    yield finding('taxonomy.archivals', id, message)
  }
}
