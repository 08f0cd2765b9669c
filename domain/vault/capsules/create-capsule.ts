import type { VaultArea } from '../../../output/vault/area.ts'
import { capsuleQuotaExceeded } from '../../../output/vault/errors.ts'
import type {
  ParsedCapsule,
  ParsedCapsuleSource,
  ParsedCreateCapsuleRequest,
  VaultCredentialOperation,
} from '../../../output/vault/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { ApiError, atField } from '../../../runtime/errors.ts'
import type { JsonText } from '../../../runtime/json.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Transaction } from '../../ports/store.ts'
import { withMembers } from '../../resources/json-text.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { Resources } from '../../resources/resources.ts'
import { readActivity } from '../audit/read-activity.ts'
import type { VaultEnvironment } from '../environment.ts'
import { workspaceKeys } from '../seal/seal-store.ts'
import { requireSecret } from '../secrets/find-version.ts'
import { readPayload } from '../secrets/read-payload.ts'
import { secretCollection } from '../secrets/secrets-store.ts'
import { requireChecksum } from '../values/checksum.ts'
import { setAgenda } from '../work/agenda.ts'
import { expiryOf } from './capsule-form.ts'
import { capsuleLabel, newSalt, passphraseKey, sealPayload } from './capsule-key.ts'
import { commitmentOf, newToken, storedDigest } from './capsule-token.ts'
import { capsuleCollection, capsulePayloads, capsuleState, type StoredCapsule } from './capsules-store.ts'

/** The maximal number of active capsules of a workspace. */
const maxActive = 1000

/**
 * Creates a capsule. Only the first answer holds the token: neither the stored operation nor the answer of a retry does
 * (vault.md 1, VaultCredentialOperation).
 */
export async function createCapsule(
  environment: VaultEnvironment,
  resources: Resources<StoredCapsule, VaultArea>,
  request: ParsedCreateCapsuleRequest,
  context: CallContext,
): Promise<JsonText<VaultCredentialOperation>> {
  const expiry = expiryOf(request.body, context.now)
  const { source } = request.body
  const content = source ? copiedPayload(environment, request, source, context) : givenPayload(request.body)
  const { fault, payload } = await content
  const [token, salt] = [newToken(), request.body.passphrase === undefined ? '' : newSalt()]
  const passphrase = await passphraseKey(request.body.passphrase ?? '', salt)
  const capsule = newCapsule(resources, request, context, { expiry, payload, salt, token })
  const { expire_time, id, workspace_id } = capsule
  let isMade = false
  const answer = await resources.create(request, context, capsule, {
    async refer(tx) {
      if (fault !== undefined) throw fault
      await requireRecipient(environment, tx, capsule)
    },
    async count(tx) {
      const workspaceKey = await environment.keyring.derive(tx, workspace_id, capsuleLabel)
      await requireRoom(tx, workspace_id)
      const sealed = sealPayload({ id, token, passphrase, workspaceKey }, payload)
      workspaceKey.fill(0)
      await tx.insert(capsulePayloads, { id, workspace_id, sealed })
      await setAgenda(tx, 'capsules.expire', capsule, expire_time)
      tx.afterCommit(() => {
        isMade = true
      })
    },
  })
  payload.fill(0)
  const credential = { token, expire_time, url: `${environment.consoleUrl()}/capsule#${id}.${token}` }
  return isMade ? withMembers(answer, { credential }) : answer
}

/** The parts of a new capsule that its body does not have. */
interface Made {
  readonly expiry: number
  readonly payload: Buffer
  readonly salt: string
  readonly token: string
}

function newCapsule(
  resources: Resources<StoredCapsule, VaultArea>,
  request: ParsedCreateCapsuleRequest,
  context: CallContext,
  { expiry, payload, salt, token }: Made,
): StoredCapsule {
  const { body } = request
  const standard = resources.standard(request, context)
  return {
    ...standard,
    ...shown(body),
    name: body.name === '' ? `capsule-${standard.id}` : body.name,
    expire_time: formatMillis(expiry),
    state: capsuleState('ACTIVE'),
    failed_attempts: 0,
    passphrase_required: salt !== '',
    payload_size_bytes: payload.length,
    payload_commitment: commitmentOf(token, payload),
    redeemed_by_principal_id: '',
    redeemed_from_ip: '',
    revoke_reason: '',
    created_by: context.principal?.id ?? '',
    token_sha256: storedDigest(token),
    salt,
  }
}

const shown = ({
  content_type,
  description,
  display_name,
  labels,
  max_attempts,
  recipient_principal_id,
}: ParsedCapsule) => ({
  display_name,
  description,
  labels,
  content_type,
  recipient_principal_id,
  max_attempts,
})

/** The payload of a new capsule, or the reason for which its source has none. */
type Content = { readonly payload: Buffer; readonly fault?: unknown }

/** Returns the given payload, whose size `capsuleForm` has checked. Throws CHECKSUM_MISMATCH. */
function givenPayload({ payload }: ParsedCapsule): Content {
  const bytes = Buffer.from(payload?.data ?? '', 'base64')
  requireChecksum(bytes, payload?.data_crc32c, 'payload.data_crc32c')
  return { payload: bytes }
}

/**
 * Returns a copy of the payload of a version of a secret, once the access is recorded. A fault of the source is thrown
 * at its step, in the transaction, because a retry of a completed call needs no source. Throws IAM_PERMISSION_DENIED.
 */
async function copiedPayload(
  environment: VaultEnvironment,
  { engine, workspace }: ParsedCreateCapsuleRequest,
  { secret_id, version: name }: ParsedCapsuleSource,
  context: CallContext,
): Promise<Content> {
  const { access, accesses, store, taxonomy } = environment
  await access.require(context, 'vault.secretVersions.access', workspaceScope(workspace))
  try {
    const stored = await store.get(secretCollection, secret_id)
    const path = { workspace, engine, secret: secret_id }
    const { value } = await requireSecret(store, taxonomy, path, stored, context.now)
    const { bytes, version } = await readPayload(environment, value, name)
    await accesses.record(readActivity(context, version.id, workspace))
    if (bytes.length > 0) return { payload: bytes }
    const description = 'has an empty payload; a capsule holds at least one byte'
    return { payload: bytes, fault: fieldInvalid([{ field: 'source.version', description }]) }
  } catch (error) {
    return { payload: Buffer.alloc(0), fault: atSource(error) }
  }
}

/** Returns the error of a body that names an absent secret or version. */
function atSource(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error
  if (error.reason === 'SECRET_NOT_FOUND') return atField(error, 'source.secret_id')
  return error.reason === 'SECRET_VERSION_NOT_FOUND' ? atField(error, 'source.version') : error
}

/** Throws FIELD_INVALID unless the recipient is a user or a service account. */
async function requireRecipient(
  { functions }: VaultEnvironment,
  tx: Transaction,
  { recipient_principal_id: id }: StoredCapsule,
): Promise<void> {
  if (id === '' || functions.iam === undefined || (await functions.iam.findPrincipal(tx, id))) return
  const description = 'must be the id of a user or a service account'
  throw fieldInvalid([{ field: 'recipient_principal_id', description }])
}

/**
 * Throws CAPSULE_QUOTA_EXCEEDED if a workspace has more active capsules than it may have, with the new capsule. The
 * lock on the key of the workspace makes concurrent creations wait.
 */
async function requireRoom(tx: Transaction, workspace_id: string): Promise<void> {
  await tx.lock(workspaceKeys, workspace_id)
  if ((await tx.count(capsuleCollection, { workspace_id, state: capsuleState('ACTIVE') })) <= maxActive) return
  throw capsuleQuotaExceeded(`workspace ${workspace_id} has ${maxActive} active capsules; revoke a capsule first`, {
    quota: [{ subject: `vault.capsules/${workspace_id}`, description: `at most ${maxActive} active capsules` }],
  })
}
