import { workspaceNotFound } from '../../../output/shared/errors.ts'
import type { ApiError, DetailsWith } from '../../../runtime/errors.ts'
import type { Scope } from '../../ports/scope.ts'

/** Returns the error of a workspace that does not exist. */
export const unknownWorkspace = (id: string): ApiError =>
  workspaceNotFound(`workspace ${id} does not exist`, { resource: { type: 'taxonomy.workspaces', name: id } })

/** Returns the details of an error about a node that must be ACTIVE. */
export const notActive = ({ id, type }: Scope): DetailsWith<'precondition' | 'resource'> => ({
  resource: { type: `taxonomy.${type.toLowerCase()}s`, name: id },
  precondition: [{ type: 'STATE', subject: id, description: 'the node must be ACTIVE' }],
})
