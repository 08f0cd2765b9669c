import type { Role } from '../../../output/iam/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { Where } from '../../ports/store.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import { platform } from '../../ports/access.ts'

type RoleVisibilityServices = Pick<IamEnvironment, 'access' | 'decisions'>

/**
 * The ids of the owners whose custom roles a caller may see, with the empty id for the platform; `all` for all owners.
 */
type Owners = 'all' | ReadonlySet<string>

/**
 * Returns the owners whose custom roles the caller may see: the caller must hold `permission` at the owner, or at a
 * descendant where the roles could be bound. Every caller sees predefined roles (iam.md 3).
 */
async function ownersSeen(
  { decisions }: RoleVisibilityServices,
  context: CallContext,
  permission: string,
): Promise<Owners> {
  const { clientAddress, now, principal } = context
  const seen = await decisions.visible(principal?.id ?? '', permission, { now, ip: clientAddress })
  if (seen.kind === 'all') return 'all'
  const owners = new Set<string>()
  for (const scope of seen.scopes) {
    const chain = (await decisions.chain(scope)) ?? []
    for (const { id, type } of chain) if (type === 'ORGANISATION' || type === 'PLATFORM') owners.add(id)
  }
  return owners
}

/** Returns the filter for the roles that a caller may see. */
export async function rolesSeen(parts: RoleVisibilityServices, context: CallContext): Promise<Where> {
  const owners = await ownersSeen(parts, context, 'iam.roles.list')
  if (owners === 'all') return {}
  return owners.size === 0 ? { role_type: 'PREDEFINED' } : { scope_id: ['', ...owners] }
}

/**
 * Throws IAM_PERMISSION_DENIED unless the caller may see a role. The error is the same for hidden and absent roles,
 * except for callers with the permission at PLATFORM: for these, an absent role causes no error here.
 */
export async function requireSight(
  parts: RoleVisibilityServices,
  context: CallContext,
  role: Role | undefined,
): Promise<void> {
  const permission = 'iam.roles.get'
  if (role?.role_type === 'PREDEFINED') return
  const owners = role && (await ownersSeen(parts, context, permission))
  if (role && (owners === 'all' || owners?.has(role.scope_id))) return
  await parts.access.require(context, permission, platform)
}
