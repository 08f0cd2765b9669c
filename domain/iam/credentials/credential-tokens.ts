import { createHash, randomBytes } from 'node:crypto'
import { credentialTokenInvalid } from '../../../output/iam/errors.ts'
import type { CredentialPurpose } from '../../../output/iam/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Reader, Stored, Transaction } from '../../ports/store.ts'
import { credentialTokens, type StoredCredentialToken } from '../collections/credential-tokens-store.ts'
import { users, type StoredUser } from '../collections/users-store.ts'

/**
 * Returns whether `minter` is ACTIVE and may take over the account of `target`, by the present rights of both
 * principals (iam.md 4.5, E4).
 */
export type TakeOverGuard = (reader: Reader, minter: string, target: string, now: number) => Promise<boolean>

/** A new token: the token text for the user, and the digest to store. */
export interface NewToken {
  readonly token: string
  readonly digest: string
}

/**
 * Returns a new token: `ct1.` and 256 random bits. Callers create the token before the transaction, because a
 * transaction may be retried.
 */
export function newToken(): NewToken {
  const token = `ct1.${randomBytes(32).toString('base64url')}`
  return { token, digest: digestOf(token) }
}

const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/** The data of a new credential token: its purpose, creator, delivery, user and lifetime. */
export interface Minting extends Pick<StoredCredentialToken, 'purpose' | 'minted_by' | 'delivery'> {
  readonly user: string
  /** The time of the creation in milliseconds since 1970. */
  readonly now: number
  readonly ttlMs: number
}

/**
 * Stores a token in a transaction that has locked the user, and voids the older tokens of the user. Returns the expiry
 * time of the token.
 */
export async function mint(tx: Transaction, { digest }: NewToken, minting: Minting): Promise<string> {
  const { delivery, minted_by, now, purpose, ttlMs, user } = minting
  await voidTokens(tx, user)
  const expire_time = formatMillis(now + ttlMs)
  await tx.insert(credentialTokens, {
    id: digest,
    user_id: user,
    purpose,
    status: 'LIVE',
    minted_by,
    delivery,
    created: formatMillis(now),
    expire_time,
  })
  return expire_time
}

/** Voids the live tokens of a user, in a transaction that has locked the user. */
export async function voidTokens(tx: Transaction, user: string): Promise<void> {
  for await (const { id, value, version } of tx.each(credentialTokens, { user_id: user, status: 'LIVE' })) {
    await tx.update(credentialTokens, id, { ...value, status: 'VOID' }, version)
  }
}

/** A usable token and its user. */
export interface OpenToken {
  readonly token: Stored<StoredCredentialToken>
  readonly user: Stored<StoredUser>
}

/** The status that a user must have for a token of each purpose. */
const statusFor = { ACTIVATION: 'INVITED', PASSWORD_RESET: 'ACTIVE' } as const

/** Finds usable tokens, and marks tokens as spent. */
export class TokenOpener {
  readonly #mayTakeOver: TakeOverGuard

  constructor(mayTakeOver: TakeOverGuard) {
    this.#mayTakeOver = mayTakeOver
  }

  /**
   * Returns the token with this text, for `purpose` if given. Throws the same error CREDENTIAL_TOKEN_INVALID for each
   * fault: the token never existed, is spent, void or expired, has another purpose, does not fit the status of the
   * user, or was returned to a principal that may no longer take over the account.
   */
  async open(reader: Reader, words: string, now: number, purpose?: CredentialPurpose): Promise<OpenToken> {
    const token = await reader.get(credentialTokens, digestOf(words))
    const user = token && (await reader.get(users, token.value.user_id))
    if (token && user && (await this.#opens(reader, { token, user }, now, purpose))) return { token, user }
    throw tokenInvalid()
  }

  /**
   * Finds a token as `open` does, in a transaction that holds the revision; locks the user and spends the token.
   * Returns both.
   */
  async spend(tx: Transaction, words: string, now: number, purpose: CredentialPurpose): Promise<OpenToken> {
    const found = await tx.get(credentialTokens, digestOf(words))
    const user = found && (await tx.lock(users, found.value.user_id))
    const token = found && (await tx.get(credentialTokens, found.id))
    if (!token || !user || !(await this.#opens(tx, { token, user }, now, purpose))) throw tokenInvalid()
    const spent = await tx.tryUpdate(credentialTokens, token.id, { ...token.value, status: 'SPENT' }, token.version)
    if (spent === undefined) throw tokenInvalid()
    return { token: spent, user }
  }

  async #opens(
    reader: Reader,
    { token: { value: token }, user: { id, value: user } }: OpenToken,
    now: number,
    purpose: CredentialPurpose | undefined,
  ): Promise<boolean> {
    if (token.status !== 'LIVE' || Date.parse(token.expire_time) <= now) return false
    if (purpose !== undefined && token.purpose !== purpose) return false
    if (user.status !== statusFor[token.purpose]) return false
    return token.delivery !== 'RETURN' || this.#mayTakeOver(reader, token.minted_by, id, now)
  }
}

const tokenInvalid = (): Error =>
  credentialTokenInvalid('the token cannot be used: it is unknown, was used, is void or has expired')
