import { permissionNotFound } from '../../../output/iam/errors.ts'
import type { PermissionHandlers } from '../../../output/iam/handlers.ts'
import type { GetPermissionRequest, Permission } from '../../../output/iam/types.ts'
import type { ListContext } from '../../../runtime/context.ts'
import type { ApiError } from '../../../runtime/errors.ts'
import { listInMemory, type Page } from '../../../runtime/pagination.ts'
import { quoted } from '../../../runtime/refusal.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'

/** Returns the error of a permission that does not exist. */
export const noPermission = (id: string): ApiError =>
  permissionNotFound(`there is no permission ${quoted(id)}`, {
    resource: { type: 'iam.permissions', name: id.slice(0, 80) },
  })

/** Serves the catalogue of permissions, without their bits. */
export class Permissions implements PermissionHandlers {
  readonly #permissions: ReadonlyMap<string, Permission>

  constructor({ catalogue }: Pick<IamEnvironment, 'catalogue'>) {
    this.#permissions = new Map(
      catalogue.permissions.map(({ bit: _bit, ...permission }) => [permission.id, permission]),
    )
  }

  async listPermissions(_request: object, { query }: ListContext): Promise<Page<Permission>> {
    return listInMemory(this.#permissions.values(), query)
  }

  async getPermission({ id }: GetPermissionRequest): Promise<Permission> {
    const permission = this.#permissions.get(id)
    if (permission) return permission
    throw noPermission(id)
  }
}
