import { passwordReused } from '../../../output/iam/errors.ts'
import type { ApiError } from '../../../runtime/errors.ts'
import type { Transaction } from '../../ports/store.ts'
import { HashingQueue } from './hashing-queue.ts'
import { tooWeak, weaknessOf } from './password-rules.ts'
import type { Passwords } from '../interfaces/passwords.ts'
import { fits, formatHash, fullCost, hashOf, parseHash, type Cost } from './password-hash-format.ts'
import { passwords, type StoredPassword } from '../collections/users-store.ts'

/** The number of a user's latest passwords, including the present password, that the user cannot set again. */
const remembered = 5

/** The settings for hashing passwords. */
interface Hashing {
  /** The maximal number of concurrent hashes; further hashes wait. */
  readonly atOnce: number
  /** The cost; `fullCost` except in tests. */
  readonly cost?: Cost
}

export function passwordsOf({ atOnce, cost = fullCost }: Hashing): Passwords {
  const queue = new HashingQueue(atOnce)
  /**
   * A hash that no password matches. `verify` compares with this hash if a user has no hash, so that both cases take
   * the same time.
   */
  const nobodys = { ...cost, salt: Buffer.alloc(16), hash: Buffer.alloc(32) }
  return {
    requireRoom: () => queue.requireRoom(),
    async hash(password) {
      return formatHash(await queue.run(() => hashOf(password, cost)))
    },
    async verify(hash, password) {
      const known = hash === undefined ? undefined : parseHash(hash)
      const isFitting = await queue.run(() => fits(password, known ?? nobodys))
      return known !== undefined && isFitting
    },
    isOutdated(hash) {
      const known = parseHash(hash)
      return known?.memory !== cost.memory || known.passes !== cost.passes || known.parallelism !== cost.parallelism
    },
    async weakness(password, email, field) {
      const fault = await weaknessOf(password, email)
      return fault === undefined ? undefined : tooWeak(fault, field)
    },
    store,
  }
}

async function store(tx: Transaction, user: string, hash: string): Promise<void> {
  const stored = await tx.lock(passwords, user)
  const history = kept(stored?.value).slice(0, hash === '' ? remembered : remembered - 1)
  const next: StoredPassword = { id: user, hash, history }
  if (stored) await tx.update(passwords, user, next, stored.version)
  else await tx.insert(passwords, next)
}

/** Returns the hashes of the last passwords, present password first. */
const kept = (stored: StoredPassword | undefined): readonly string[] =>
  stored === undefined ? [] : [stored.hash, ...stored.history].filter(hash => hash !== '').slice(0, remembered)

/**
 * Returns the error PASSWORD_REUSED at `field` if the password is one of the last five, otherwise undefined. Each
 * comparison costs one verification, so callers run this check last.
 */
export async function reuseOf(
  { verify }: Pick<Passwords, 'verify'>,
  stored: StoredPassword | undefined,
  password: string,
  field: string,
): Promise<ApiError | undefined> {
  for (const hash of kept(stored)) {
    if (!(await verify(hash, password))) continue
    const description = 'is one of your last five passwords; choose another password'
    return passwordReused(`${field}: ${description}`, { badRequest: [{ field, description }] })
  }
  return undefined
}
