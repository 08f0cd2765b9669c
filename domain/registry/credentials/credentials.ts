import type { CredentialsHandlers } from '../../../output/registry/handlers.ts'
import type { Credentials, CredentialScope, ParsedGetCredentialsRequest } from '../../../output/registry/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import { formatMillis, parseDuration } from '../../../runtime/timestamps.ts'
import { requireWorkspace } from '../../resources/find-rows.ts'
import { recordAuditEvent } from '../audit-events/record-event.ts'
import { hostOf } from '../engines/distribution-engines.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { scopesSummary } from './scopes-summary.ts'

/** The user name beside the password; the registry reads the password alone. */
const username = 'token'

/** The bounds of the lifetime of a password, in seconds. */
const [minSeconds, maxSeconds] = [300, 43_200]

/** Returns the handler of credentials. */
export const credentials = (environment: RegistryEnvironment): CredentialsHandlers => ({
  getCredentials: (request, context) => getCredentials(environment, request, context),
})

/**
 * Returns a password with which OCI clients sign in as the caller. Throws FIELD_INVALID for a lifetime beyond the bounds,
 * WORKSPACE_NOT_FOUND, WORKSPACE_NOT_ACTIVE, and ENGINE_UNAVAILABLE while the vault is sealed.
 */
async function getCredentials(
  environment: RegistryEnvironment,
  { engine, expires_in, workspace }: ParsedGetCredentialsRequest,
  context: CallContext,
): Promise<Credentials> {
  const { clock, store, taxonomy, tokens } = environment
  const seconds = lifetime(expires_in)
  await requireWorkspace(store, taxonomy, workspace)
  await taxonomy.checkActive(store, workspace)
  const principal = context.principal?.id ?? ''
  const password = await tokens.credential(principal, context.now, seconds)
  const scopes_summary: CredentialScope[] = await scopesSummary(environment, { workspace, engine }, context)
  await store.tx(tx => recordAuditEvent(tx, clock, context, { action: 'TOKEN_ISSUED', workspace }))
  const registry_host = hostOf(environment, engine)
  const auth = Buffer.from(`${username}:${password}`).toString('base64')
  return {
    registry_host,
    username,
    password,
    // Tokens count whole seconds.
    expire_time: formatMillis((Math.floor(context.now / 1000) + seconds) * 1000),
    principal_id: principal,
    docker_config: { auths: { [registry_host]: { auth } } },
    scopes_summary,
  }
}

/** Returns a lifetime in whole seconds; a fraction of a second counts as a second. */
function lifetime(text: string): number {
  const seconds = Math.ceil(Number(parseDuration(text) ?? 0n) / 1e9)
  if (seconds >= minSeconds && seconds <= maxSeconds) return seconds
  throw fieldInvalid([{ field: 'expires_in', description: `must be from ${minSeconds}s to ${maxSeconds}s` }])
}
