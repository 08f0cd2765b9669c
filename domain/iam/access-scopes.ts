import { isUuid } from '../../runtime/formats.ts'
import { fieldInvalid } from '../../output/shared/errors.ts'
import { isRecord } from '../../runtime/validation.ts'
import { platform, type AccessScopes, type Asked, type ScopeOf, type Sent } from '../ports/access.ts'
import type { Collection, Reader } from '../ports/store.ts'
import { bindings } from './collections/bindings-store.ts'
import { principals } from './collections/principals-store.ts'
import { roles } from './collections/roles-store.ts'
import { serviceAccounts } from './collections/service-accounts-store.ts'
import { tokens } from './collections/tokens-store.ts'
import { users } from './collections/users-store.ts'
import { homeOf } from './values/home-scope.ts'
import type { Scope } from '../ports/scope.ts'

const ofUser = row(users, homeOf)

const ofRole = row(roles, ({ scope_id, scope_type }) => ({ type: scope_type, id: scope_id }), 'role')

/**
 * The functions that find the scopes of iam's operations, keyed by operationId (iam.md §3): the scope of a row, the
 * home of a principal, or a scope in the body. With `handler`, the handler itself authorizes, because only handlers
 * know the roles that a caller sees.
 */
export const iamScopes: AccessScopes = {
  getBinding: row(bindings, ({ scope_id, scope_type }) => ({ type: scope_type, id: scope_id })),
  deleteBinding: row(bindings, ({ scope_id, scope_type }) => ({ type: scope_type, id: scope_id })),
  createBinding: bodyScope(['PLATFORM', 'ORGANISATION', 'GROUP', 'WORKSPACE']),
  listRoles: 'handler',
  getRole: 'handler',
  listRolePermissions: 'handler',
  createRole: bodyScope(['PLATFORM', 'ORGANISATION']),
  deleteRole: ofRole,
  updateRole: ofRole,
  addRolePermission: ofRole,
  removeRolePermission: ofRole,
  getServiceAccount: row(serviceAccounts, ({ workspace_id }) => ({ type: 'WORKSPACE', id: workspace_id })),
  revokeToken: ofRevoked,
  getUser: ofUser,
  getUserAvatar: row(users, homeOf, 'id', ({ id }) => id),
  updateUser: ofUser,
  deactivateUser: ofUser,
  reactivateUser: ofUser,
  regenerateActivation: ofUser,
  resetUserPassword: ofUser,
  inviteUser: async (_reader, sent) => {
    const id = bodyOf(sent)['organisation_id']
    if (id === undefined || id === '') return { scope: platform, told: platform }
    if (typeof id !== 'string' || !isUuid(id)) throw faulty('organisation_id', 'must be a UUID, or empty')
    return { scope: { type: 'ORGANISATION', id }, told: { type: 'ORGANISATION', id } }
  },
}

function row<T>(
  collection: Collection<T>,
  scopeOf: (row: T) => Scope,
  parameter = 'id',
  ownerOf?: (row: T) => string,
): ScopeOf {
  return async (reader, { path }): Promise<Asked> => {
    const id = path.get(parameter) ?? path.get('id')
    const found = id === undefined ? undefined : await known(reader, collection, id)
    return { scope: found && scopeOf(found), told: platform, ...(found && ownerOf && { owner: ownerOf(found) }) }
  }
}

/**
 * Returns the scope of a revocation: the home of the token or of the principal that the body names. A caller needs no
 * permission to revoke its own tokens. A body that names neither passes the authorization and then fails validation.
 */
async function ofRevoked(reader: Reader, { context, given }: Sent): Promise<Asked> {
  const body = given?.['body']
  const member = (name: string): unknown => (isRecord(body) && Object.hasOwn(body, name) ? body[name] : undefined)
  const [token, principal] = [member('token_id'), member('principal_id')]
  if (typeof token === 'string') {
    const found = await known(reader, tokens, token)
    const scope: Scope | undefined = found && { type: found.home_type, id: found.home_id }
    return { scope, told: platform, owner: found?.principal_id }
  }
  if (typeof principal === 'string') {
    const found = await known(reader, principals, principal)
    return { scope: found && homeOf(found), told: platform, owner: principal }
  }
  return { scope: undefined, told: platform, owner: context.principal?.id }
}

/**
 * Returns the document with an id. Returns undefined without a read for text that cannot be an id: ids are UUIDs or
 * names of predefined roles.
 */
async function known<T>(reader: Reader, collection: Collection<T>, id: string): Promise<T | undefined> {
  return /^[\w-]{1,64}$/.test(id) ? (await reader.get(collection, id))?.value : undefined
}

/**
 * Returns the scope in a body. The members `scope_type` and `scope_id` are validated before the authorization
 * (conventions §4).
 */
function bodyScope(types: readonly Scope['type'][]): ScopeOf {
  return async (_reader, sent): Promise<Asked> => {
    const { scope_id: id, scope_type } = bodyOf(sent)
    const type = types.find(each => each === scope_type)
    if (type === undefined) throw faulty('scope_type', `must be ${types.join(' or ')}`)
    const isPlatform = type === 'PLATFORM'
    if (typeof id !== 'string' || (isPlatform ? id !== '' : !isUuid(id))) {
      throw faulty('scope_id', isPlatform ? 'must be empty for PLATFORM' : 'must be a UUID')
    }
    return { scope: { type, id }, told: { type, id } }
  }
}

function bodyOf({ given }: Sent): Readonly<Record<string, unknown>> {
  const body = given?.['body']
  if (isRecord(body)) return body
  throw faulty('body', 'must be an object')
}

const faulty = (field: string, description: string): Error =>
  fieldInvalid(`${field} ${description}`, { badRequest: [{ field, description }] })
