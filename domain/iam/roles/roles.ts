import {
  roleAlreadyExists,
  rolePermissionAlreadyExists,
  rolePermissionNotFound,
  roleQuotaExceeded,
  unknownPermission,
} from '../../../output/iam/errors.ts'
import type { RoleHandlers } from '../../../output/iam/handlers.ts'
import type {
  AddRolePermissionRequest,
  ParsedCreateRoleRequest,
  DeleteRoleRequest,
  GetRoleRequest,
  IamOperation,
  ListRolePermissionsRequest,
  ListRolesRequest,
  RemoveRolePermissionRequest,
  Role,
  RolePermission,
  ScopeKind,
  UpdateRoleRequest,
} from '../../../output/iam/types.ts'
import { roleFields } from '../../../output/iam/validators.ts'
import { fieldInvalid } from '../../../output/shared/errors.ts'
import type { CallContext, ListContext } from '../../../runtime/context.ts'
import { applyUpdate, checkEtag } from '../../../runtime/field-mask.ts'
import type { Answer } from '../../../runtime/json.ts'
import type { Page } from '../../../runtime/pagination.ts'
import { quoted } from '../../../runtime/refusal.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { nextEtag } from '../../resources/etag.ts'
import { requireRoleEdit } from '../grants/escalation.ts'
import { grants } from '../grants/held-permissions.ts'
import { mutateIam } from '../feed/iam-mutation.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import { noPermission } from './permissions.ts'
import { requireSight, rolesSeen } from './visible-roles.ts'
import {
  dropRole,
  lockRole,
  requireUnused,
  requireWritable,
  roleEffect,
  storedRole,
  withPermissions,
  writeRole,
  writeRolePermissions,
} from './role-writes.ts'
import { rolePermissions, roles } from '../collections/roles-store.ts'
import { checkScopeForm, requireActiveScope, scopeOfMembers } from '../values/scopes.ts'

/** The maximal number of custom roles of one owner (iam.md 4.10). */
const maxRoles = 100

/**
 * The scopes at which custom roles can be bound, keyed by the type of the owner: the owner and its descendants (iam.md
 * 1).
 */
const bindableAt: Readonly<Partial<Record<ScopeKind, readonly ScopeKind[]>>> = {
  PLATFORM: ['PLATFORM', 'ORGANISATION', 'GROUP', 'WORKSPACE'],
  ORGANISATION: ['ORGANISATION', 'GROUP', 'WORKSPACE'],
}

/** Serves roles: named sets of permissions (iam.md 1). */
export class Roles implements RoleHandlers {
  readonly #parts: IamEnvironment

  constructor(parts: IamEnvironment) {
    this.#parts = parts
  }

  async listRoles(_request: ListRolesRequest, context: ListContext): Promise<Page<Role>> {
    return this.#parts.store.list(roles, context.query, await rolesSeen(this.#parts, context))
  }

  async getRole({ id }: GetRoleRequest, context: CallContext): Promise<Answer<Role>> {
    return (await this.#seen(id, context)).text
  }

  async listRolePermissions({ role }: ListRolePermissionsRequest, context: ListContext): Promise<Page<RolePermission>> {
    await this.#seen(role, context)
    const page = await this.#parts.store.page(rolePermissions, context.query, { role_id: role })
    const items = page.items.map(({ value: { id: _row, ...permission } }) => permission)
    return { ...page, items }
  }

  async #seen(id: string, context: CallContext): Promise<Stored<Role>> {
    const stored = await this.#parts.store.get(roles, id)
    await requireSight(this.#parts, context, stored?.value)
    return storedRole(stored, id)
  }

  async createRole(request: ParsedCreateRoleRequest, context: CallContext): Promise<Answer<IamOperation>> {
    const parts = this.#parts
    const role = newRole(parts, request.body, context.now)
    const { permissions } = request.body
    this.#requireKnown(permissions, permissions)
    return mutateIam(parts, context, request, async tx => {
      await requireActiveScope(tx, parts, scopeOfMembers(role), 'scope_id')
      await parts.feed.hold(tx)
      await requireRoleEdit(tx, parts, context, role, permissions)
      await this.#insert(tx, role)
      await parts.feed.revise(tx, 'ROLE', role.id)
      return roleEffect('CREATE', role)
    })
  }

  async #insert(tx: Transaction, role: Role): Promise<void> {
    const { name, scope_id, scope_type } = role
    if (await tx.get(roles, name)) {
      const resource = { type: 'iam.roles', name }
      throw roleAlreadyExists(`the name ${name} is taken by a role of the platform`, { resource })
    }
    await tx.insert(roles, role)
    const owned = await tx.count(roles, { role_type: 'CUSTOM', scope_type, scope_id })
    if (owned > maxRoles) {
      const description = `an owner has at most ${maxRoles} roles`
      throw roleQuotaExceeded(`${description}; delete some of them first`, {
        quota: [{ subject: 'iam.roles', description }],
      })
    }
    await writeRolePermissions(tx, this.#parts, role)
  }

  async updateRole(request: UpdateRoleRequest, context: CallContext): Promise<Answer<IamOperation>> {
    const { id, update_mask } = request
    const body = sorted(request.body)
    const parts = this.#parts
    return mutateIam(parts, context, request, async tx => {
      const stored = await lockRole(tx, parts, id)
      const { changed, value } = applyUpdate(roleFields, stored.value, body, update_mask)
      checkEtag(body.etag, stored.value.etag)
      await requireWritable(tx, parts, stored.value)
      if (changed.includes('permissions')) await this.#requireAddable(tx, stored.value, value, request.body, context)
      if (changed.length > 0)
        await writeRole(tx, parts, stored, withPermissions(value, value.permissions, parts), context.now)
      return { ...roleEffect('UPDATE', value), changed }
    })
  }

  async addRolePermission(request: AddRolePermissionRequest, context: CallContext): Promise<Answer<IamOperation>> {
    const { permission } = request.body
    const parts = this.#parts
    if (!grants(parts.catalogue, permission)) throw unknown('permission', permission)
    return mutateIam(parts, context, request, async tx => {
      const stored = await lockRole(tx, parts, request.role)
      const { value } = stored
      await requireWritable(tx, parts, value)
      await requireRoleEdit(tx, parts, context, value, [permission])
      if (value.permissions.includes(permission)) {
        const message = `role ${value.name} has the permission ${permission} already`
        throw rolePermissionAlreadyExists(message, { resource: { type: 'iam.permissions', name: permission } })
      }
      const permissions = [...value.permissions, permission]
      await writeRole(tx, parts, stored, withPermissions(value, permissions, parts), context.now)
      return { ...roleEffect('UPDATE', value), changed: ['permissions'] }
    })
  }

  async removeRolePermission(
    request: RemoveRolePermissionRequest,
    context: CallContext,
  ): Promise<Answer<IamOperation>> {
    const { etag, permission, role } = request
    const parts = this.#parts
    return mutateIam(parts, context, request, async tx => {
      const stored = await lockRole(tx, parts, role)
      const { value } = stored
      if (parts.catalogue.find(permission) === undefined) {
        throw noPermission(permission)
      }
      if (!value.permissions.includes(permission)) {
        const message = `role ${value.name} does not have the permission ${permission}`
        throw rolePermissionNotFound(message, { resource: { type: 'iam.permissions', name: permission } })
      }
      checkEtag(etag, value.etag)
      await requireWritable(tx, parts, value)
      const permissions = value.permissions.filter(key => key !== permission)
      await writeRole(tx, parts, stored, withPermissions(value, permissions, parts), context.now)
      return { ...roleEffect('UPDATE', value), changed: ['permissions'] }
    })
  }

  async deleteRole(request: DeleteRoleRequest, context: CallContext): Promise<Answer<IamOperation>> {
    const parts = this.#parts
    return mutateIam(parts, context, request, async tx => {
      const stored = await lockRole(tx, parts, request.id)
      checkEtag(request.etag, stored.value.etag)
      await requireWritable(tx, parts, stored.value)
      await requireUnused(tx, stored.value, context.now)
      await dropRole(tx, parts, stored, context.now)
      return roleEffect('DELETE', stored.value)
    })
  }

  async #requireAddable(
    tx: Transaction,
    before: Role,
    { permissions }: Role,
    sent: UpdateRoleRequest['body'],
    context: CallContext,
  ): Promise<void> {
    const had = new Set(before.permissions)
    const added = permissions.filter(key => !had.has(key))
    this.#requireKnown(added, sent.permissions ?? [])
    await requireRoleEdit(tx, this.#parts, context, before, added)
  }

  /**
   * Checks the permissions of a role. No retired permission can be added; the next write of a role drops the retired
   * permissions that the role still has.
   */
  #requireKnown(permissions: readonly string[], sent: readonly string[]): void {
    const key = permissions.find(key => !grants(this.#parts.catalogue, key))
    if (key !== undefined) throw unknown(`permissions[${sent.indexOf(key)}]`, key)
  }
}

function unknown(field: string, key: string): Error {
  const description = `there is no permission ${quoted(key)}`
  return unknownPermission(`${field}: ${description}`, { badRequest: [{ field, description }] })
}

/** Returns the body of a request with sorted permissions, because their order has no meaning. */
const sorted = (body: UpdateRoleRequest['body']): UpdateRoleRequest['body'] =>
  body.permissions ? { ...body, permissions: body.permissions.toSorted() } : body

function newRole({ catalogue, clock }: IamEnvironment, body: ParsedCreateRoleRequest['body'], now: number): Role {
  const { description, display_name, name, permissions, scope_id, scope_type } = body
  const bindable_scope_types = bindableAt[scope_type]
  if (bindable_scope_types === undefined) {
    const description = 'must be PLATFORM or ORGANISATION'
    throw fieldInvalid(`scope_type: ${description}`, { badRequest: [{ field: 'scope_type', description }] })
  }
  checkScopeForm(body)
  const time = formatMillis(now)
  const role: Role = {
    id: clock.newId(),
    name,
    display_name,
    description,
    role_type: 'CUSTOM',
    scope_type,
    scope_id,
    permissions,
    permission_count: permissions.length,
    bindable_scope_types: [...bindable_scope_types],
    etag: nextEtag(undefined),
    created: time,
    updated: time,
  }
  return withPermissions(role, permissions, { catalogue })
}
