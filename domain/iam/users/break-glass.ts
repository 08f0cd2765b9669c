import type { CredentialPurpose } from '../../../output/iam/types.ts'
import { systemPrincipalId } from '../../ports/reserved.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { makeAdministrator, type AdministratorServices } from './administrator-account.ts'
import { credentialUrl } from '../credentials/credential-calls.ts'
import { mint, newToken } from '../credentials/credential-tokens.ts'
import { normalEmail } from '../values/email.ts'
import { newUser } from './user-invitation.ts'
import { reactivate } from './user-life.ts'
import { insertUser, userEffect, writeUser } from './user-rows.ts'
import { users, type StoredUser } from '../collections/users-store.ts'

/**
 * The lifetimes of tokens from host commands in milliseconds: of an invitation (as at the first start), and of a reset.
 */
const lifetimes = { ACTIVATION: 24 * 60 * 60 * 1000, PASSWORD_RESET: 60 * 60 * 1000 } as const

/** The result that the host command prints. */
export interface BrokenGlass {
  readonly user: string
  readonly purpose: CredentialPurpose
  readonly token: string
  readonly expire_time: string
  /** The URL of the page for setting a password with the token. */
  readonly url: string
}

/**
 * Makes the user with an address an administrator of the platform, and creates and returns a token for setting a
 * password. Creates a new user as INVITED, and reactivates a deactivated user. The password of an ACTIVE user stays
 * valid until the token is used (iam.md 4.9).
 */
export async function breakGlass(parts: AdministratorServices, address: string): Promise<BrokenGlass> {
  const { clock, feed, store } = parts
  const email = normalEmail(address)
  const token = newToken()
  const body = { email, organisation_id: '', locale: '', time_zone: '', labels: {} }
  const fresh = newUser(clock.newId(), clock.now(), body, systemPrincipalId)
  return store.tx(async tx => {
    await feed.hold(tx)
    const user = await admitted(tx, parts, email, fresh)
    await makeAdministrator(tx, parts, user.id)
    const purpose = user.value.status === 'INVITED' ? 'ACTIVATION' : 'PASSWORD_RESET'
    const minting = { purpose, minted_by: '', delivery: 'HOST', now: clock.now(), ttlMs: lifetimes[purpose] } as const
    const expire_time = await mint(tx, token, { user: user.id, ...minting })
    if (purpose === 'ACTIVATION') await writeUser(tx, user, { ...user.value, invite_expire_time: expire_time })
    const type = purpose === 'ACTIVATION' ? 'REGENERATE_ACTIVATION' : 'RESET_PASSWORD'
    await parts.operations.begin(tx, userEffect(type, user.value))
    return { user: user.id, purpose, token: token.token, expire_time, url: credentialUrl(parts, token.token) }
  })
}

/** Locks and returns the user with an address; creates or reactivates the user if necessary. */
async function admitted(
  tx: Transaction,
  parts: AdministratorServices,
  email: string,
  fresh: StoredUser,
): Promise<Stored<StoredUser>> {
  const { clock, feed, operations } = parts
  const found = await tx.find(users, { email })
  const stored = found && (await tx.lock(users, found.id))
  if (stored && stored.value.status !== 'DEACTIVATED') return stored
  if (stored) {
    await reactivate(tx, parts, stored, { by: systemPrincipalId, now: clock.now() })
    await operations.begin(tx, userEffect('REACTIVATE', stored.value))
  } else {
    await insertUser(tx, fresh)
    await feed.revise(tx, 'PRINCIPAL', fresh.id)
    await operations.begin(tx, userEffect('INVITE', fresh))
  }
  const changed = await tx.lock(users, stored?.id ?? fresh.id)
  if (changed === undefined) throw new Error(`the user with the address ${email} no longer exists`)
  return changed
}
