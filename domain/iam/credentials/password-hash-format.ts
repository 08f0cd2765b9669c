import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'

/** The cost of argon2id: memory in KiB, passes, lanes. */
export interface Cost {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}

/** The parts of a PHC string. */
export interface PasswordHash extends Cost {
  readonly salt: Buffer
  readonly hash: Buffer
}

/** The cost of new hashes (iam.md 4.7). */
export const fullCost: Cost = { memory: 19_456, passes: 2, parallelism: 1 }

const saltBytes = 16
const hashBytes = 32

/**
 * The form of a PHC string: version 19 is the only version of argon2; 16 bytes of salt and 32 bytes of hash are in
 * base64 without padding.
 */
const form = /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d)\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/

/** Returns the PHC string of a hash, for example `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`. */
export const formatHash = ({ memory, passes, parallelism, salt, hash }: PasswordHash): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(hash)}`

/** Parses a PHC string; returns undefined for text that `formatHash` has not written. */
export function parseHash(text: string): PasswordHash | undefined {
  const [, memory, passes, parallelism, salt, hash] = form.exec(text) ?? []
  if (salt === undefined || hash === undefined) return undefined
  const parsed = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
  return formatHash(parsed) === text ? parsed : undefined
}

/** Returns the hash of a password with a new salt. */
export async function hashOf(password: string, { memory, parallelism, passes }: Cost): Promise<PasswordHash> {
  const parameters = { memory, passes, parallelism, salt: randomBytes(saltBytes) }
  return { ...parameters, hash: await derive(password, parameters) }
}

/** Returns whether a password matches a hash; compares in constant time. */
export const fits = async (password: string, known: PasswordHash): Promise<boolean> =>
  timingSafeEqual(await derive(password, known), known.hash)

/**
 * Returns the hash of the NFKC form, so that different encodings of one password are equal. Runs on a thread of the
 * pool.
 */
function derive(password: string, { memory, parallelism, passes, salt }: Omit<PasswordHash, 'hash'>): Promise<Buffer> {
  const message = normalPassword(password)
  const parameters = { message, nonce: salt, memory, passes, parallelism, tagLength: hashBytes }
  return new Promise((resolve, reject) => {
    argon2('argon2id', parameters, (error, key) => (error ? reject(error) : resolve(key)))
  })
}

/** Returns the form in which passwords are counted, compared and hashed. */
export const normalPassword = (password: string): string => password.normalize('NFKC')

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')
