import { formatMillis } from '../../../runtime/timestamps.ts'
import { systemPrincipalId } from '../../ports/reserved.ts'
import type { Collection, Stored, Transaction } from '../../ports/store.ts'
import { nextEtag } from '../../resources/etag.ts'
import { makeAdministrator, wasAdministered, type AdministratorServices } from './administrator-account.ts'
import { mint, newToken, voidTokens } from '../credentials/credential-tokens.ts'
import { normalEmail } from '../values/email.ts'
import { newUser } from './user-invitation.ts'
import { inStatus } from './user-states.ts'
import { insertUser, userEffect, writeUser } from './user-rows.ts'
import { users, type StoredUser } from '../collections/users-store.ts'

/** The only row of its collection: the progress of creating the first administrator. */
export interface FirstRun {
  readonly id: typeof rowId
  /** The id of the first administrator. */
  readonly user_id: string
  /** Whether an administrator has ever been ACTIVE. If so, later starts change nothing. */
  readonly is_over: boolean
}

const rowId = 'administrator'

export const firstRuns: Collection<FirstRun> = { name: 'iam_first_run', id: 'id' }

/**
 * The time in milliseconds in which the first administrator must activate the account; each start renews the time
 * (iam.md 4.9).
 */
const lifeMs = 24 * 60 * 60 * 1000

/** The settings of the first administrator. */
export interface FirstAdministrator {
  readonly email: string
  /** Returns the password that makes the user ACTIVE immediately; not called once the first run is over. */
  readonly password?: (() => Promise<string>) | undefined
}

/** The state after `beginFirstRun`: an administrator is or was ACTIVE, or the user is invited and needs the token. */
export type Begun =
  /** An administrator is or was ACTIVE, so no token is needed. */
  | { readonly kind: 'administered'; readonly user: string }
  | { readonly kind: 'invited'; readonly user: string; readonly token: string }

/**
 * Creates the first administrator in one transaction, unless an administrator was ever ACTIVE. If two servers start
 * concurrently, the second server finds the administrator of the first server, and only creates a new token. Throws if
 * the password is not allowed.
 */
export async function beginFirstRun(
  parts: AdministratorServices,
  { email, password }: FirstAdministrator,
): Promise<Begun> {
  const { clock, feed, store } = parts
  const known = (await store.get(firstRuns, rowId))?.value
  if (known?.is_over) return { kind: 'administered', user: known.user_id }
  const address = normalEmail(email)
  const hash = password === undefined ? undefined : await judgedHash(parts, await password(), address)
  const token = newToken()
  const fresh = newUser(clock.newId(), clock.now(), ofThePlatform(address), systemPrincipalId)
  return store.tx(async (tx): Promise<Begun> => {
    await feed.hold(tx)
    const row = await tx.lock(firstRuns, rowId)
    const earlier = row && (await tx.lock(users, row.value.user_id))
    const user = earlier?.id ?? fresh.id
    const isOver = row?.value.is_over || (await wasAdministered(tx))
    await remember(tx, row, { id: rowId, user_id: user, is_over: isOver || hash !== undefined })
    if (isOver) return { kind: 'administered', user }
    await write(tx, parts, { earlier, fresh, hash })
    await makeAdministrator(tx, parts, user)
    if (hash !== undefined) return { kind: 'administered', user }
    await mint(tx, token, { ...minting, user, now: clock.now() })
    return { kind: 'invited', user, token: token.token }
  })
}

const minting = { purpose: 'ACTIVATION', minted_by: '', delivery: 'HOST', ttlMs: lifeMs } as const

const ofThePlatform = (email: string) => ({ email, organisation_id: '', locale: '', time_zone: '', labels: {} })

async function judgedHash({ passwords }: AdministratorServices, password: string, email: string): Promise<string> {
  const weakness = await passwords.weakness(password, email, 'bootstrap.admin_password_file')
  if (weakness) throw new Error(weakness.message)
  return passwords.hash(password)
}

async function remember(tx: Transaction, row: Stored<FirstRun> | undefined, next: FirstRun): Promise<void> {
  if (row) await tx.update(firstRuns, rowId, next, row.version)
  else await tx.insert(firstRuns, next)
}

/** The user to write: a new user, or the user of an earlier start with the configured address. */
interface Writing {
  readonly earlier: Stored<StoredUser> | undefined
  readonly fresh: StoredUser
  /** The hash of the configured password, which activates the user; undefined without a configured password. */
  readonly hash: string | undefined
}

async function write(tx: Transaction, parts: AdministratorServices, { earlier, fresh, hash }: Writing): Promise<void> {
  const { clock, feed, operations, passwords } = parts
  const now = clock.now()
  const user = earlier ? readdressed(earlier.value, fresh.email) : fresh
  const next =
    hash === undefined
      ? {
          ...inStatus(user, 'INVITED', now, { invited_by: systemPrincipalId }),
          invite_expire_time: formatMillis(now + lifeMs),
        }
      : inStatus(user, 'ACTIVE', now, { password_update_time: formatMillis(now) })
  if (earlier) await writeUser(tx, earlier, next)
  else await insertUser(tx, next)
  await voidTokens(tx, next.id)
  if (hash !== undefined) await passwords.store(tx, next.id, hash)
  await feed.revise(tx, 'PRINCIPAL', next.id)
  if (!earlier) await operations.begin(tx, userEffect('INVITE', next))
  if (hash !== undefined) await operations.begin(tx, userEffect('ACTIVATE', next))
  else if (earlier) await operations.begin(tx, userEffect('REGENERATE_ACTIVATION', next))
}

const readdressed = (user: StoredUser, email: string): StoredUser =>
  user.email === email ? user : { ...user, email, etag: nextEtag(user.etag) }
