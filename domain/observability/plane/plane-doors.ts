import { ingestUnauthenticated } from '../../../output/observability/errors.ts'
import type { CallContext, Principal } from '../../../runtime/context.ts'
import type { Doors } from '../../../runtime/doors.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { hasKey } from '../ingestion-configs/ingest-keys.ts'
import type { StoredIngestionConfig } from '../ingestion-configs/ingestion-configs-store.ts'
import { RecentConfigs } from './recent-configs.ts'
import type { PlaneParts } from './plane-parts.ts'

/** Returns the error of a sender that may not push to a config, or whose config does not exist. */
export const unauthenticated = () =>
  ingestUnauthenticated('send a key of the ingestion config, or a token, in the header Authorization: Bearer')

/** The permission to push with a token of the platform. */
const permission = 'observability.telemetry.write'

/** The longest credential in characters. */
const maxLength = 16_384

/** A sender before its credential is checked. */
class Sender implements Principal {
  readonly id = ''
  readonly kind = 'user'
  readonly #credential: string

  constructor(credential: string) {
    this.#credential = credential
  }

  /** The text after `Bearer`; empty if none was sent. A method, so that no log has the text. */
  credential(): string {
    return this.#credential
  }
}

/** Returns the ingestion config to which the doors have admitted a call. */
export function admittedConfig({ handedOn }: CallContext): StoredIngestionConfig {
  if (handedOn === undefined || !('ingest_keys' in handedOn)) throw new Error('a call of the plane has no config')
  // Only the doors of the plane hand on rows with this member.
  return handedOn as typeof handedOn & StoredIngestionConfig
}

/**
 * Returns the checks of the plane: a key of the config, or a token of the platform whose principal may write telemetry at
 * the workspace of the config. Throws INGEST_UNAUTHENTICATED for everything else, with the same answer whether or not the
 * config exists.
 */
export function planeDoors(parts: PlaneParts): Doors {
  const configs = new RecentConfigs(parts.store)
  return {
    async authenticate({ headers }) {
      const [, credential = ''] = /^Bearer +(\S+)$/i.exec((headers.authorization ?? '').slice(0, maxLength)) ?? []
      return new Sender(credential)
    },
    async authorize(context, _route, path) {
      const { principal } = context
      const id = path.get('config') ?? ''
      const credential = principal instanceof Sender ? principal.credential() : ''
      const recent = configs.recent(id)
      if (recent && (await isAllowed(parts, context, recent, credential))) return { handedOn: recent }
      const config = await configs.read(id)
      if (await isAllowed(parts, context, config, credential)) return { handedOn: config }
      throw unauthenticated()
    },
  }
}

/** A config without keys, with which credentials are compared when there is no config: each refusal does the same work. */
const keyless: Parameters<typeof hasKey>[0] = { ingest_keys: [] }

async function isAllowed(
  parts: PlaneParts,
  context: CallContext,
  config: StoredIngestionConfig | undefined,
  credential: string,
): Promise<boolean> {
  const hasOwnKey = hasKey(config ?? keyless, credential, parts.clock.now())
  if (credential === '') return false
  if (hasOwnKey) return true
  const principal = await principalOf(parts, credential)
  if (principal === undefined || config === undefined) return false
  return parts.access.holds({ ...context, principal }, permission, workspaceScope(config.workspace_id))
}

/** Returns the principal of a token of the platform; undefined for every other text. */
async function principalOf({ functions }: PlaneParts, credential: string): Promise<Principal | undefined> {
  if (credential.split('.').length !== 3) return undefined
  try {
    return await functions.iam?.authenticateToken(credential)
  } catch (error) {
    if (error instanceof ApiError && (error.rpc === 'UNAUTHENTICATED' || error.rpc === 'INVALID_ARGUMENT'))
      return undefined
    throw error
  }
}
