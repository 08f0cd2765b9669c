import { decodeProtectedHeader } from 'jose'
import { ApiError } from '../../../runtime/errors.ts'
import type { Principal } from '../../../runtime/context.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { realmOf } from './challenge.ts'
import { ociError } from './oci-errors.ts'

/** The longest password in characters. */
const maxLength = 16_384

/**
 * Returns the principal of a password: the credentials that the API gives, an access token of the platform, or the
 * assertion of a service account for the realm (registry.md 3). Throws UNAUTHORIZED for every other text.
 */
export async function principalOf(environment: RegistryEnvironment, password: string, now: number): Promise<Principal> {
  const { functions, store } = environment
  try {
    const id = await idOf(environment, password, now)
    const found = id === undefined ? undefined : await functions.iam?.findPrincipal(store, id)
    if (id !== undefined && found?.status === 'ACTIVE') return { id, kind: found.kind }
  } catch (error) {
    if (!(error instanceof ApiError) || !isRefusal(error)) throw error
  }
  throw ociError('UNAUTHORIZED', 'the password is not valid: get another one by the API, or use an access token', {
    headers: { 'www-authenticate': 'Basic realm="ninefold"' },
  })
}

const isRefusal = ({ rpc }: ApiError): boolean => rpc === 'UNAUTHENTICATED' || rpc === 'INVALID_ARGUMENT'

async function idOf(environment: RegistryEnvironment, password: string, now: number): Promise<string | undefined> {
  const { functions, store, tokens } = environment
  const type = typeOf(password)
  if (type === undefined) return (await functions.iam?.authenticateToken(password))?.id
  if (type === 'registry-credential+jwt') return tokens.verifyCredential(password, now)
  if (type === 'at+jwt') return (await functions.iam?.authenticateToken(password))?.id
  return functions.iam?.accountOfAssertion(store, password, realmOf(environment), now)
}

/** Returns the type of a JWT, empty if it has none; undefined for a text that is no JWT. */
function typeOf(password: string): string | undefined {
  if (password.length > maxLength) return undefined
  try {
    return decodeProtectedHeader(password).typ ?? ''
  } catch {
    return undefined
  }
}
