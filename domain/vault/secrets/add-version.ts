import type { VaultArea } from '../../../output/vault/area.ts'
import { secretPayloadTooLarge, secretVersionQuotaExceeded } from '../../../output/vault/errors.ts'
import type { AddSecretVersionRequest, Secret, SecretPayloadInput, SecretVersion } from '../../../output/vault/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { faultAt } from '../../../runtime/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Effect } from '../../ports/operations.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { firstEtagOf } from '../../resources/etag.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { VaultEnvironment } from '../environment.ts'
import { requireChecksum } from '../values/checksum.ts'
import { requireSecret } from './find-version.ts'
import { payloadPlace } from './payload-place.ts'
import {
  payloadCollection,
  secretVersionCollection,
  versionRowId,
  type StoredSecretVersion,
} from './secret-versions-store.ts'
import { secretCollection } from './secrets-store.ts'

/** The maximal size of a payload, in bytes. */
const maxPayloadBytes = 65_536

/** The maximal number of versions of a secret that are not destroyed. */
const maxVersions = 1000

/** Adds a version to a secret, and returns the operation. The payload is overwritten in memory. */
export async function addVersion(
  environment: VaultEnvironment,
  request: AddSecretVersionRequest,
  context: CallContext,
) {
  const payload = payloadOf(request.body.payload)
  const isGiven = request.body.payload.data_crc32c !== undefined
  try {
    return await environment.operations.mutate(context, request, tx =>
      insertVersion(tx, environment, request, context, { payload, isGiven }),
    )
  } finally {
    payload.fill(0)
  }
}

/** Returns the bytes of a payload (step 5). Throws SECRET_PAYLOAD_TOO_LARGE or CHECKSUM_MISMATCH. */
function payloadOf({ data, data_crc32c }: SecretPayloadInput): Buffer {
  const bytes = Buffer.from(data, 'base64')
  if (bytes.length > maxPayloadBytes) {
    const message = `${bytes.length} bytes are more than the ${maxPayloadBytes} of a payload`
    throw faultAt(secretPayloadTooLarge, 'payload.data', message)
  }
  requireChecksum(bytes, data_crc32c, 'payload.data_crc32c')
  return bytes
}

/** The payload of a new version. */
export interface GivenPayload {
  readonly payload: Buffer
  /** Whether the caller sent a checksum. */
  readonly isGiven: boolean
}

async function insertVersion(
  tx: Transaction,
  environment: VaultEnvironment,
  request: AddSecretVersionRequest,
  context: CallContext,
  given: GivenPayload,
): Promise<Effect<VaultArea>> {
  const { taxonomy } = environment
  const scope = workspaceScope(request.workspace)
  await taxonomy.share(tx, scope)
  const secret = await requireSecret(
    tx,
    taxonomy,
    request,
    await tx.lock(secretCollection, request.secret),
    context.now,
  )
  await taxonomy.requireActive(tx, request.workspace)
  const version = await writeVersion(tx, environment, secret, given, context.now)
  return { type: 'ADD_VERSION', resourceType: 'vault.secretVersions', resourceId: version.row_id, scope }
}

/** Inserts a version with its payload, and counts the version in the secret, whose row is locked. */
export async function writeVersion(
  tx: Transaction,
  environment: VaultEnvironment,
  secret: Stored<Secret>,
  given: GivenPayload,
  now: number,
): Promise<StoredSecretVersion> {
  const version = newVersion(secret.value, given, formatMillis(now))
  await tx.insert(secretVersionCollection, version)
  await writePayload(tx, environment, secret.value, version, given.payload)
  await requireVersionRoom(tx, secret.value)
  await countVersion(tx, secret)
  return version
}

function newVersion(secret: Secret, { isGiven, payload }: GivenPayload, time: string): StoredSecretVersion {
  const number = nextNumber(secret)
  return {
    id: String(number),
    version: number,
    secret_id: secret.id,
    state: 'VAULT_SECRET_VERSION_STATE_ENABLED',
    payload_size_bytes: payload.length,
    payload_crc32c_given: isGiven,
    etag: firstEtagOf(number),
    create_time: time,
    update_time: time,
    row_id: versionRowId(secret.id, String(number)),
    workspace_id: secret.workspace_id,
  }
}

/** Returns the number of the next version; numbers are never used again, because destroyed versions stay. */
const nextNumber = ({ latest_version }: Secret): number => (latest_version === '' ? 1 : Number(latest_version) + 1)

async function countVersion(tx: Transaction, { id, value, version }: Stored<Secret>): Promise<void> {
  const counted = { latest_version: String(nextNumber(value)), enabled_version_count: value.enabled_version_count + 1 }
  await tx.update(secretCollection, id, { ...value, ...counted }, version)
}

/** Encrypts and inserts the payload of a new version. */
async function writePayload(
  tx: Transaction,
  { keyring, payloadKeys }: VaultEnvironment,
  secret: Secret,
  version: Pick<SecretVersion, 'id'>,
  plain: Buffer,
): Promise<void> {
  const place = payloadPlace(secret, version.id)
  const row = { id: versionRowId(secret.id, version.id), secret_id: secret.id, workspace_id: secret.workspace_id }
  if (secret.crypto_key_id === '') {
    const wrapped = await keyring.wrap(tx, place, plain)
    await tx.insert(payloadCollection, { ...row, wrapped, crypto_key_id: '', crypto_key_version: '' })
    return
  }
  const { ciphertext, crypto_key_version } = await payloadKeys.encrypt(tx, secret, plain, Buffer.from(row.id))
  const wrapped = await keyring.wrap(tx, place, Buffer.from(ciphertext))
  await tx.insert(payloadCollection, { ...row, wrapped, crypto_key_id: secret.crypto_key_id, crypto_key_version })
}

/** Step 14: throws SECRET_VERSION_QUOTA_EXCEEDED if a secret has too many versions, with the new version. */
async function requireVersionRoom(tx: Transaction, { id }: Secret): Promise<void> {
  const state = ['VAULT_SECRET_VERSION_STATE_ENABLED', 'VAULT_SECRET_VERSION_STATE_DISABLED']
  if ((await tx.count(secretVersionCollection, { secret_id: id, state })) <= maxVersions) return
  throw secretVersionQuotaExceeded(`secret ${id} has ${maxVersions} versions; destroy versions that nobody reads`, {
    quota: [{ subject: `vault.secrets/${id}`, description: `at most ${maxVersions} versions that are not destroyed` }],
  })
}
