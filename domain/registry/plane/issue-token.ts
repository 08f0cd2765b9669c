import type { CallContext, Principal } from '../../../runtime/context.ts'
import { engineOfService, hostOf, nativeEngine } from '../engines/distribution-engines.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { tokenSeconds } from '../tokens/registry-tokens.ts'
import { parseScopes } from '../tokens/scopes.ts'
import { grantedAccess } from './grant-access.ts'
import { ociError } from './oci-errors.ts'
import { jsonReply, type Body, type PlaneReply } from './plane-call.ts'
import { principalOf } from './token-callers.ts'

/** The request of a token by GET. */
export interface TokenRequest {
  readonly scope?: readonly string[]
  /** The registry that the token is for; without it, the registry of the native engine. */
  readonly service?: string
  readonly authorization?: string
}

/** Answers a token to whom HTTP Basic names, or to an anonymous caller (Docker token authentication). */
export async function issueToken(
  environment: RegistryEnvironment,
  { authorization, scope = [], service }: TokenRequest,
  context: CallContext,
): Promise<PlaneReply> {
  const password = authorization === undefined ? undefined : basicPassword(authorization)
  const principal = password === undefined ? undefined : await principalOf(environment, password, context.now)
  return tokenReply(environment, { ...context, principal }, { scopes: scope, service })
}

/** Answers a token to whom a form names: `grant_type` is `password` or `refresh_token` (OAuth 2.0). */
export async function issueOauthToken(
  environment: RegistryEnvironment,
  { body }: { readonly body?: Body },
  context: CallContext,
): Promise<PlaneReply> {
  const form = new URLSearchParams(await new Response(body ?? null).text())
  const { [form.get('grant_type') ?? '']: field } = secretFields
  if (field === undefined)
    throw ociError('UNSUPPORTED', 'grant_type must be password or refresh_token', { status: 400 })
  const principal = await principalOf(environment, form.get(field) ?? '', context.now)
  const service = form.get('service') ?? undefined
  return tokenReply(environment, { ...context, principal }, { scopes: form.getAll('scope'), service })
}

/** The field of the form with the secret, by the type of the grant. */
const secretFields: Readonly<Record<string, string>> = { password: 'password', refresh_token: 'refresh_token' }

interface Wanted {
  readonly scopes: readonly string[]
  readonly service: string | undefined
}

/** Answers a token. A token for an unknown registry grants nothing, and is for the native engine. */
async function tokenReply(
  environment: RegistryEnvironment,
  context: CallContext & { readonly principal: Principal | undefined },
  { scopes, service }: Wanted,
): Promise<PlaneReply> {
  const engine = engineOfService(environment, service)
  const access = engine === undefined ? [] : await grantedAccess(environment, context, engine, parseScopes(scopes))
  const audience = hostOf(environment, engine ?? nativeEngine)
  const token = await environment.tokens.access(context.principal?.id ?? '', access, context.now, audience)
  const issued_at = new Date(context.now).toISOString()
  const reply = { token, access_token: token, expires_in: tokenSeconds, issued_at }
  return jsonReply(reply, { 'cache-control': 'no-store' })
}

/** Returns the password of HTTP Basic. Throws UNAUTHORIZED for another header. */
function basicPassword(header: string): string {
  const [, encoded = ''] = /^Basic +([\w+/=-]+)$/i.exec(header) ?? []
  const text = Buffer.from(encoded, 'base64').toString()
  const colon = text.indexOf(':')
  if (colon >= 0) return text.slice(colon + 1)
  throw ociError('UNAUTHORIZED', 'the header Authorization must be of HTTP Basic', {
    headers: { 'www-authenticate': 'Basic realm="ninefold"' },
  })
}
