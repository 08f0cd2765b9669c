import type { Secret } from '../../../output/vault/types.ts'
import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { workspaceKeys } from '../seal/seal-store.ts'
import { isErasing } from './remove-secret.ts'
import { inspectDue } from '../work/inspect-due.ts'
import {
  payloadCollection,
  secretVersionCollection,
  versionRowId,
  type StoredSecretVersion,
} from './secret-versions-store.ts'
import { secretCollection } from './secrets-store.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

const enabled = 'VAULT_SECRET_VERSION_STATE_ENABLED'
const destroyed = 'VAULT_SECRET_VERSION_STATE_DESTROYED'

/** Checks the counts, payloads, due work and parents of secrets and their versions. */
export async function* inspectSecrets(reader: Reader): Findings {
  for await (const { value } of reader.each(secretCollection)) yield* inspectSecret(reader, value)
  for await (const { value } of reader.each(secretVersionCollection)) yield* inspectVersion(reader, value)
  for await (const { id } of reader.each(payloadCollection)) {
    if (await reader.exists(secretVersionCollection, { row_id: id })) continue
    yield { resourceType: 'vault.secretVersions', id, message: 'has a payload and no row; the payload must be deleted' }
  }
}

async function* inspectSecret(reader: Reader, secret: Secret): Findings {
  const { enabled_version_count, id, latest_version } = secret
  const finding = (message: string): Finding => ({ resourceType: 'vault.secrets', id, message })
  const count = await reader.count(secretVersionCollection, { secret_id: id, state: enabled })
  if (count !== enabled_version_count)
    yield finding(`has enabled_version_count ${enabled_version_count}, and ${count} versions are enabled`)
  const versions = await reader.count(secretVersionCollection, { secret_id: id })
  if (String(versions || '') !== latest_version)
    yield finding(`has latest_version "${latest_version}", and ${versions} versions exist`)
  yield* inspectDue(reader, 'secrets.expire', id, secret.expire_time, finding)
  yield* inspectDue(reader, 'secrets.announceRotation', id, secret.rotation?.next_rotation_time, finding)
}

async function* inspectVersion(reader: Reader, version: StoredSecretVersion): Findings {
  const { id, row_id, scheduled_destroy_time, secret_id, state, workspace_id } = version
  const finding = (message: string): Finding => ({ resourceType: 'vault.secretVersions', id: row_id, message })
  if (await isErasing(reader, secret_id)) return
  if (row_id !== versionRowId(secret_id, id)) yield finding(`has the number ${id} of secret ${secret_id}`)
  if (!(await reader.exists(secretCollection, { id: secret_id }))) yield finding(`has no secret ${secret_id}`)
  const payload = (await reader.get(payloadCollection, row_id))?.value
  if (payload && state === destroyed) yield finding('is destroyed and has a payload; the payload must be deleted')
  if (!payload && state !== destroyed) yield finding(`is ${state} and has no payload; restore it from a backup`)
  if (payload && (payload.secret_id !== secret_id || payload.workspace_id !== workspace_id))
    yield finding('has a payload of another secret or workspace')
  if (payload && !(await reader.exists(workspaceKeys, { id: workspace_id })))
    yield finding(`has a payload, and workspace ${workspace_id} has no key; restore it from a backup`)
  yield* inspectDue(reader, 'secretVersions.destroy', row_id, scheduled_destroy_time, finding)
}
