import type { IamArea } from '../../../output/iam/area.ts'
import { serviceAccountNotFound } from '../../../output/iam/errors.ts'
import type { ServiceAccount, ServiceAccountKey } from '../../../output/iam/types.ts'
import { fieldInvalid } from '../../../output/shared/errors.ts'
import { quoted } from '../../../runtime/refusal.ts'
import { formatMillis, parseTimestamp } from '../../../runtime/timestamps.ts'
import type { Effect } from '../../ports/operations.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { accountKeys } from '../collections/account-keys-store.ts'
import { endToken } from '../sessions/end-token.ts'
import { makeServiceAccount } from './make-service-account.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import { readPublicKey, type PublicKey } from './public-keys.ts'
import { serviceAccounts } from '../collections/service-accounts-store.ts'
import { tokens, unrevokedOf } from '../collections/tokens-store.ts'

/** The parts of the area that commands on the server's host use. */
export type AccountServices = Pick<IamEnvironment, 'clock' | 'feed' | 'operations' | 'store' | 'taxonomy'>

const namePattern = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const nameForm =
  'must be at most 63 lower case letters, digits and hyphens that begin with a letter and end in no hyphen'
const maxDisplayName = 128
/** Matches the characters that no text for people has: control characters, and bidirectional overrides. */
const hidden = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/

/** Creates a service account in an ACTIVE workspace, as the system principal, and returns its id. Throws `ApiError`. */
export async function createServiceAccount(
  parts: AccountServices,
  {
    display_name = '',
    name,
    workspace,
  }: { readonly workspace: string; readonly name: string; readonly display_name?: string },
): Promise<string> {
  const { operations, store, taxonomy } = parts
  if (!namePattern.test(name)) throw faulty('name', `${nameForm}, not ${quoted(name)}`)
  if (Array.from(display_name).length > maxDisplayName) throw faulty('display_name', 'must have at most 128 characters')
  if (hidden.test(display_name))
    throw faulty('display_name', 'must have neither control characters nor bidirectional overrides')
  return store.tx(async tx => {
    await taxonomy.requireActive(tx, workspace)
    const account = await makeServiceAccount(parts, tx, { workspace, name, display_name, managed_by: 'OPERATOR' })
    await operations.begin(tx, effect('CREATE', account))
    return account.id
  })
}

/** A public key to register. */
export interface AddedKey {
  /** The PEM text of an Ed25519 key, a P-256 key, or an RSA key of 2048 bits or more. */
  readonly publicKey: string
  /** The expiry, a future time in RFC 3339; absent: the key never expires. */
  readonly expireTime?: string | undefined
}

/** Registers a public key for verifying assertions of the account, and returns the id of the key. Throws `ApiError`. */
export async function addAccountKey(parts: AccountServices, id: string, given: AddedKey): Promise<string> {
  const { clock, operations, store, taxonomy } = parts
  const { algorithm, pem } = publicKeyOf(given)
  const expire_time = expireTimeOf(given, clock.now())
  const account_id = foundAccount(await store.get(serviceAccounts, id), id).id
  const created = formatMillis(clock.now())
  const common = { algorithm, created, ...(expire_time !== undefined && { expire_time }) }
  const key: ServiceAccountKey = { key_id: clock.newId(), ...common }
  await store.tx(async tx => {
    const before = await tx.get(serviceAccounts, id)
    await taxonomy.requireActive(tx, foundAccount(before, id).value.workspace_id)
    const stored = foundAccount(await tx.lock(serviceAccounts, id), id)
    if (stored.value.status !== 'ACTIVE') throw faulty('id', 'must be a service account that is ACTIVE')
    await tx.insert(accountKeys, { id: key.key_id, account_id, public_key: pem, ...common })
    await writeKeys(tx, stored, [...stored.value.keys, key], created)
    await operations.begin(tx, effect('UPDATE', stored.value))
  })
  return key.key_id
}

/**
 * Removes a key and ends the access tokens that were issued for it. Throws `ApiError` if the account does not exist or
 * has no such key.
 */
export async function removeAccountKey(parts: AccountServices, id: string, keyId: string): Promise<void> {
  const { clock, feed, operations, store } = parts
  await store.tx(async tx => {
    await feed.hold(tx)
    const stored = foundAccount(await tx.lock(serviceAccounts, id), id)
    const key = await tx.lock(accountKeys, keyId)
    if (key?.value.account_id !== id)
      throw faulty('key_id', `must be a key of the account, which has no ${quoted(keyId)}`)
    const time = formatMillis(clock.now())
    await tx.delete(accountKeys, keyId, key.version)
    await writeKeys(
      tx,
      stored,
      stored.value.keys.filter(({ key_id }) => key_id !== keyId),
      time,
    )
    await operations.begin(tx, effect('UPDATE', stored.value))
    const family = await tx.find(tokens, { ...unrevokedOf(id), key_id: keyId })
    if (family) await endToken(tx, feed, family.id, { reason: 'ADMIN', time })
  })
}

/**
 * Removes all keys of an account, in the transaction of the caller. The caller has locked the feed, and revokes the
 * tokens.
 */
export async function removeAllKeys(tx: Transaction, account: string): Promise<void> {
  for await (const { id, version } of tx.each(accountKeys, { account_id: account })) {
    await tx.delete(accountKeys, id, version)
  }
}

async function writeKeys(
  tx: Transaction,
  { id, value, version }: Stored<ServiceAccount>,
  keys: ServiceAccountKey[],
  updated: string,
): Promise<void> {
  await tx.update(serviceAccounts, id, { ...value, keys, updated }, version)
}

function publicKeyOf({ publicKey }: AddedKey): PublicKey {
  try {
    return readPublicKey(publicKey)
  } catch (error) {
    if (error instanceof TypeError) throw faulty('public_key', error.message)
    throw error
  }
}

function expireTimeOf({ expireTime }: AddedKey, now: number): string | undefined {
  if (expireTime === undefined) return undefined
  const millis = Date.parse(parseTimestamp(expireTime) ?? '')
  if (millis > now) return formatMillis(millis)
  throw faulty(
    'expire_time',
    `must be an RFC 3339 time in the future, such as 2100-01-31T12:00:00Z, not ${quoted(expireTime)}`,
  )
}

function foundAccount(stored: Stored<ServiceAccount> | undefined, id: string): Stored<ServiceAccount> {
  if (stored) return stored
  throw serviceAccountNotFound(`service account ${id} does not exist`, {
    resource: { type: 'iam.serviceAccounts', name: id },
  })
}

const faulty = (field: string, description: string) =>
  fieldInvalid(`${field} ${description}`, { badRequest: [{ field, description }] })

const effect = (type: 'CREATE' | 'UPDATE', { id, workspace_id }: ServiceAccount): Effect<IamArea> => ({
  type,
  resourceType: 'iam.serviceAccounts',
  resourceId: id,
  scope: { type: 'WORKSPACE', id: workspace_id },
  ...(type === 'UPDATE' && { changed: ['keys'] }),
})
