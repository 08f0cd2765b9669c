import type { ApiError } from '../../../runtime/errors.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { ociError } from './oci-errors.ts'

/** The path at which clients get tokens. */
export const tokenPath = '/v2/_token'

/** Returns the address at which clients get tokens; the audience of assertions too. */
export const realmOf = ({ registryUrl }: Pick<RegistryEnvironment, 'registryUrl'>): string =>
  `${registryUrl()}${tokenPath}`

/** Returns the error that asks a client for a token, with the scope that the call needs (registry.md 3). */
export function challenge(
  environment: Pick<RegistryEnvironment, 'host' | 'registryUrl'>,
  message: string,
  parameters: { readonly scope?: string; readonly error?: 'invalid_token' | 'insufficient_scope' } = {},
): ApiError {
  const { error, scope } = parameters
  const members = { realm: realmOf(environment), service: environment.host(), scope, error }
  const texts = Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${value}"`]))
  return ociError('UNAUTHORIZED', message, { headers: { 'www-authenticate': `Bearer ${texts.join(',')}` } })
}
