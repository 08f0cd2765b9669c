import { passwordTooWeak } from '../../../output/iam/errors.ts'
import type { ApiError } from '../../../runtime/errors.ts'
import { localPart } from '../values/email.ts'
import { normalPassword } from './password-hash-format.ts'

/** The minimal and maximal number of code points of a password, after NFKC (iam.md 4.7). */
export const passwordLength = { min: 12, max: 128 } as const

/**
 * The minimal length of a local part that passwords must not contain. Too many good passwords contain a shorter local
 * part.
 */
const shortestLocalPart = 4

/**
 * Returns the fault of a password for an address; undefined if the password is allowed. The text never quotes the
 * password.
 */
export async function weaknessOf(password: string, email: string): Promise<string | undefined> {
  const normal = normalPassword(password)
  const length = [...normal].length
  const { max, min } = passwordLength
  if (length < min || length > max) return `must have ${min} to ${max} characters`
  const folded = normal.toLowerCase()
  const local = localPart(email).normalize('NFKC').toLowerCase()
  if ([...local].length >= shortestLocalPart && folded.includes(local)) {
    return 'must not contain the part of the address before the @'
  }
  return (await commonPasswords()).has(folded)
    ? 'is one of the passwords that attackers try first; choose another password'
    : undefined
}

/** Returns the error PASSWORD_TOO_WEAK at a field. */
export function tooWeak(fault: string, field: string): ApiError {
  const description = fault
  return passwordTooWeak(`${field}: ${description}`, { badRequest: [{ field, description }] })
}

let common: Promise<ReadonlySet<string>> | undefined

/** Returns the common passwords of at least the minimal length, in lower case; loads the list on first use. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  common ??= loadCommonPasswords().catch((error: unknown) => {
    common = undefined
    throw error
  })
  return common
}

async function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const folded = dictionary['passwords-common'].map(password => normalPassword(password).toLowerCase())
  return new Set(folded.filter(password => password.length >= passwordLength.min))
}
