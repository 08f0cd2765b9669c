import type { VaultArea } from '../../../output/vault/area.ts'
import type { SecretVersionHandlers } from '../../../output/vault/handlers.ts'
import type { ParsedGetSecretVersionRequest, SecretVersion } from '../../../output/vault/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { checkEtag } from '../../../runtime/field-mask.ts'
import type { Answer } from '../../../runtime/json.ts'
import type { Transaction } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { withMembers } from '../../resources/json-text.ts'
import { readActivity } from '../audit/read-activity.ts'
import type { VaultEnvironment } from '../environment.ts'
import { crc32c } from '../../resources/crc32c.ts'
import { addVersion } from './add-version.ts'
import { findVersion, lockVersion, requireSecret, type SecretPath, type VersionPath } from './find-version.ts'
import { readPayload } from './read-payload.ts'
import { secretVersionCollection } from './secret-versions-store.ts'
import { secretCollection } from './secrets-store.ts'
import {
  destroyOrSchedule,
  disableVersion,
  enableVersion,
  requireUndestroyed,
  type LockedVersion,
} from './version-states.ts'

/** The calls of versions of secrets. */
export function secretVersions(environment: VaultEnvironment): SecretVersionHandlers {
  const { store, taxonomy } = environment
  const secretOf = async (path: SecretPath, { now }: CallContext) =>
    (await requireSecret(store, taxonomy, path, await store.get(secretCollection, path.secret), now)).value
  return {
    addSecretVersion: (request, context) => addVersion(environment, request, context),
    async listSecretVersions(request, context) {
      const secret = await secretOf(request, context)
      return store.list(secretVersionCollection, context.query, { secret_id: secret.id })
    },
    async getSecretVersion(request, context) {
      if (request.view === 'VAULT_SECRET_VERSION_VIEW_FULL') return withPayload(environment, request, context)
      return (await findVersion(store, await secretOf(request, context), request.id)).text
    },
    async destroySecretVersion(request, context) {
      let isErased = false
      const answer = await mutate(environment, request, context, 'DESTROY', async (tx, locked) => {
        isErased = await destroyOrSchedule(tx, locked, context.now)
      })
      if (isErased) await environment.scrub()
      return answer
    },
    disableSecretVersion: (request, context) =>
      mutate(environment, request, context, request.body.disabled ? 'DISABLE' : 'ENABLE', (tx, locked) =>
        request.body.disabled ? disableVersion(tx, locked, context.now) : enableVersion(tx, locked, context.now),
      ),
  }
}

/** Returns a version with its payload, once the access is recorded. */
async function withPayload(
  environment: VaultEnvironment,
  request: ParsedGetSecretVersionRequest,
  context: CallContext,
): Promise<Answer<SecretVersion>> {
  const { store, taxonomy } = environment
  const stored = await store.get(secretCollection, request.secret)
  const { value: secret } = await requireSecret(store, taxonomy, request, stored, context.now)
  const { bytes, version } = await readPayload(environment, secret, request.id)
  const payload = { data: bytes.toString('base64'), data_crc32c: crc32c(bytes) }
  bytes.fill(0)
  await environment.accesses.record(readActivity(context, version.id, secret.workspace_id))
  return withMembers(version.text, { payload })
}

/** Runs a verb on a version, with the checks of conventions §4 in their order; returns the operation. */
const mutate = (
  { operations, taxonomy }: VaultEnvironment,
  request: VersionPath & { readonly body: { readonly etag?: string } },
  context: CallContext,
  type: VaultArea['operationType'],
  change: (tx: Transaction, locked: LockedVersion) => Promise<void>,
) =>
  operations.mutate(context, request, async tx => {
    const scope = workspaceScope(request.workspace)
    await taxonomy.share(tx, scope)
    const locked = await lockVersion(tx, taxonomy, request, context.now)
    checkEtag(request.body.etag, locked.version.value.etag)
    await taxonomy.requireActive(tx, request.workspace)
    requireUndestroyed(locked.version)
    await change(tx, locked)
    return { type, resourceType: 'vault.secretVersions', resourceId: locked.version.id, scope }
  })
