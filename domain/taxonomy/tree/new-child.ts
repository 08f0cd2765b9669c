import { nextEtag } from '../../resources/etag.ts'
import type { StoredGroup, StoredWorkspace } from './nodes.ts'
import { active } from './states.ts'

type Settable = 'organisation_id' | 'parent_group_id' | 'name' | 'display_name' | 'description' | 'labels'

/** Returns the row of a new group or workspace. */
export const newChild = (
  id: string,
  time: string,
  settable: Pick<StoredWorkspace, Settable>,
): StoredGroup & StoredWorkspace => ({
  id,
  ...settable,
  state: active,
  state_reason: '',
  state_changed_by: '',
  etag: nextEtag(undefined),
  create_time: time,
  update_time: time,
})
