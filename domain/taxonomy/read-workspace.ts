import type { Workspace } from '../../output/taxonomy/types.ts'
import type { JsonText } from '../../runtime/json.ts'
import type { Page } from '../../runtime/pagination.ts'
import type { Reader, StoredPage, Witnessed } from '../ports/store.ts'
import { workspaceAnswer } from './answers.ts'
import type { ChildPath } from './tree/kinds.ts'
import { trees, workspaces, type StoredWorkspace } from './tree/nodes.ts'
import type { Places } from './tree/places.ts'

const members = ['organisation_id', 'parent_group_id', 'state'] as const

/** What a workspace is answered from, with the version that the tree of its organisation had at the same moment. */
export type ReadWorkspace = Witnessed<StoredWorkspace, typeof members>

/** Reads a workspace to answer it, of which nothing has to be parsed. Undefined when the organisation has none of the id. */
export async function readWorkspace(
  reader: Reader,
  { id, organisation }: ChildPath,
): Promise<ReadWorkspace | undefined> {
  const read = await reader.getWith(workspaces, id, { members, witness: { collection: trees, id: organisation } })
  return read?.members[0] === organisation ? read : undefined
}

/**
 * A workspace as the door has read it for its decision, handed on to the handler: the row is read once, and the answer
 * shows the row that the decision was about. It is as of a moment within the call; others may have changed the tree since.
 */
export class HandedWorkspace {
  readonly read: ReadWorkspace

  constructor(read: ReadWorkspace) {
    this.read = read
  }
}

type WorkspacesPage = StoredPage<StoredWorkspace, readonly ['parent_group_id', 'state']>

/** The workspaces of a page as they are answered; undefined when the place of one is not among these. */
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
