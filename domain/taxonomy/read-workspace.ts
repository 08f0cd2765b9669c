import type { Workspace } from '../../output/taxonomy/types.ts'
import type { JsonText } from '../../runtime/json.ts'
import type { Page } from '../../runtime/pagination.ts'
import type { Reader, StoredPage, Witnessed } from '../ports/store.ts'
import { workspaceAnswer } from './answers.ts'
import type { ChildPath } from './tree/kinds.ts'
import { trees, workspaces, type StoredWorkspace } from './tree/nodes.ts'
import type { Places } from './tree/places.ts'

const members = ['organisation_id', 'parent_group_id', 'state'] as const

/**
 * The stored members for the response of a workspace, with the version of its organisation's tree at the same moment.
 */
export type ReadWorkspace = Witnessed<StoredWorkspace, typeof members>

/**
 * Reads the members for the response of a workspace without parsing its document. Returns undefined if the organisation
 * has no such workspace.
 */
export async function readWorkspace(
  reader: Reader,
  { id, organisation }: ChildPath,
): Promise<ReadWorkspace | undefined> {
  const read = await reader.getWith(workspaces, id, { members, witness: { collection: trees, id: organisation } })
  return read?.members[0] === organisation ? read : undefined
}

/**
 * A workspace that the authorization has read and hands on to the handler, so that the row is read once and the
 * response shows the row of the decision. The tree may have changed since this read.
 */
export class HandedWorkspace {
  readonly read: ReadWorkspace

  constructor(read: ReadWorkspace) {
    this.read = read
  }
}

type WorkspacesPage = StoredPage<StoredWorkspace, readonly ['parent_group_id', 'state']>

/** Returns a page of workspaces as responses show it; undefined if the place of a workspace is missing in `places`. */
export function answeredPage({ items, next }: WorkspacesPage, places: Places): Page<Workspace> | undefined {
  const answers: JsonText<Workspace>[] = []
  for (const { id, members, text } of items) {
    const [parent, state] = members
    const place = places.get(parent)
    if (place === undefined) return undefined
    answers.push(workspaceAnswer({ id, text, state }, place))
  }
  return next ? { items: answers, next } : { items: answers }
}
