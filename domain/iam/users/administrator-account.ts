import type { Binding } from '../../../output/iam/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { systemPrincipalId } from '../../ports/reserved.ts'
import type { Reader, Transaction } from '../../ports/store.ts'
import { nextEtag } from '../../resources/etag.ts'
import { bindings } from '../collections/bindings-store.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import { users } from '../collections/users-store.ts'

/**
 * The parts that commands on the server's host use. These commands act as the system principal, without authentication
 * and authorization.
 */
export type AdministratorServices = Pick<
  IamEnvironment,
  'store' | 'clock' | 'operations' | 'feed' | 'settings' | 'passwords'
>

const administration = { role_id: 'platform-admin', scope_type: 'PLATFORM', scope_id: '' } as const

/**
 * Makes a user a permanent administrator of the platform, in a transaction that has locked the revision. Replaces a
 * binding with a condition or an expiry. Returns whether the user was not yet a permanent administrator.
 */
export async function makeAdministrator(
  tx: Transaction,
  { clock, feed, operations }: Pick<AdministratorServices, 'clock' | 'feed' | 'operations'>,
  user: string,
): Promise<boolean> {
  const known = await tx.find(bindings, { principal_id: user, ...administration })
  if (known && known.value.condition === '' && known.value.expire_time === undefined) return false
  if (known) await tx.delete(bindings, known.id, known.version)
  const time = formatMillis(clock.now())
  const binding: Binding = {
    id: clock.newId(),
    principal_id: user,
    principal_kind: 'USER',
    ...administration,
    condition: '',
    created_by: systemPrincipalId,
    etag: nextEtag(undefined),
    created: time,
    updated: time,
  }
  await tx.insert(bindings, binding)
  await feed.revise(tx, 'PRINCIPAL', user)
  const scope = { type: 'PLATFORM', id: '' } as const
  await operations.begin(tx, { type: 'GRANT', resourceType: 'iam.principals', resourceId: user, scope })
  return true
}

/** Returns whether any present administrator of the platform has ever been ACTIVE. */
export async function wasAdministered(reader: Reader): Promise<boolean> {
  for await (const { value } of reader.each(bindings, administration)) {
    if ((await reader.get(users, value.principal_id))?.value.password_update_time !== undefined) return true
  }
  return false
}
