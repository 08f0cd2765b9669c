import { platform } from '../../ports/access.ts'
import type { Scope } from '../../ports/scope.ts'

/** Where a principal is at home: a service account in its workspace, a user in its organisation or at the platform. */
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
