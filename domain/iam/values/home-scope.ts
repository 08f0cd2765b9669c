import { platform } from '../../ports/access.ts'
import type { Scope } from '../../ports/scope.ts'

/**
 * Returns the home scope of a principal: the workspace of a service account, and the organisation of a user or the
 * platform.
 */
export function homeOf({
  organisation_id,
  workspace_id = '',
}: {
  readonly organisation_id: string
  readonly workspace_id?: string
}): Scope {
  if (workspace_id !== '') return { type: 'WORKSPACE', id: workspace_id }
  return organisation_id === '' ? platform : { type: 'ORGANISATION', id: organisation_id }
}
