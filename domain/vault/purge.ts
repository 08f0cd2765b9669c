import type { Reader } from '../ports/store.ts'
import type { Holding, Protection, WorkspaceHooks } from '../ports/taxonomy.ts'
import type { VaultEnvironment } from './environment.ts'
import { removeCapsule } from './capsules/capsule-end.ts'
import { capsuleCollection, capsuleState } from './capsules/capsules-store.ts'
import { eraseCertificates } from './certificates/purge-certificates.ts'
import { cryptoKeyCollection } from './keys/crypto-keys-store.ts'
import { eraseKeyVersions, removeKey } from './keys/remove-key.ts'
import { eraseLists } from './revocation/erase-lists.ts'
import { workspaceKeys } from './seal/seal-store.ts'
import { eraseSecret, eraseVersions } from './secrets/remove-secret.ts'
import { secretCollection } from './secrets/secrets-store.ts'
import { agenda, type AgendaKind } from './work/agenda.ts'

/** The maximal number of resources that a refused deletion of a workspace names. */
const maxProtections = 100

/** The types of the resources whose due work prevents the forced deletion of their workspace, keyed by kind of work. */
const protecting = new Map<AgendaKind, string>([
  ['secretVersions.destroy', 'vault.secretVersions'],
  ['cryptoKeyVersions.destroy', 'vault.cryptoKeyVersions'],
])

/** The hooks of the vault for events of a workspace. */
export const vaultHooks = (environment: VaultEnvironment): Partial<WorkspaceHooks> => ({
  holdings: activeCapsules,
  protections: protectionsIn,
  async purgeWorkspace(workspace) {
    await eraseSecrets(environment, workspace)
    await eraseCertificates(environment, workspace)
    await eraseLists(environment.store, workspace)
    await eraseKeys(environment, workspace)
    await eraseCapsules(environment, workspace)
    await shred(environment, workspace)
    await environment.scrub()
  },
})

/** Returns the versions whose destruction is scheduled: until then, their deletion can be cancelled. */
async function protectionsIn(reader: Reader, workspace_id: string): Promise<readonly Protection[]> {
  const found: Protection[] = []
  const state = 'VAULT_CRYPTO_KEY_STATE_DELETE_SCHEDULED'
  for await (const { id } of reader.each(cryptoKeyCollection, { workspace_id, state })) {
    const reason = 'its deletion is scheduled; cancel the destruction of a version, or wait until it is done'
    found.push({ resourceType: 'vault.cryptoKeys', id, reason })
    if (found.length === maxProtections) return found
  }
  for await (const { value } of reader.each(agenda, { workspace_id, kind: [...protecting.keys()] })) {
    const resourceType = protecting.get(value.kind) ?? ''
    const reason = 'its destruction is scheduled; cancel the destruction, or wait until it is done'
    found.push({ resourceType, id: value.resource_id, reason })
    if (found.length === maxProtections) break
  }
  return found
}

/** Deletes the key of a workspace, so that nothing of the workspace can be decrypted any more. */
async function shred({ changes, store }: VaultEnvironment, workspace: string): Promise<void> {
  await store.tx(async tx => {
    const key = await tx.lock(workspaceKeys, workspace)
    if (!key) return
    await tx.delete(workspaceKeys, workspace, key.version)
    await changes.revise(tx, `workspaces/${workspace}`)
  })
}

/**
 * Deletes the secrets of a workspace, each in one transaction, and then the versions that are still to be erased. An
 * interrupted purge may run again.
 */
async function eraseSecrets({ clock, store, taxonomy }: VaultEnvironment, workspace_id: string): Promise<void> {
  for await (const { id } of store.each(secretCollection, { workspace_id })) {
    await store.tx(async tx => {
      const secret = await tx.lock(secretCollection, id)
      if (secret) await eraseSecret(tx, taxonomy, secret, clock.now())
    })
  }
  const kind = 'secrets.erase'
  for await (const { value } of store.each(agenda, { workspace_id, kind }))
    await eraseVersions({ store }, value.resource_id)
}

/**
 * Removes the crypto keys of a workspace, each in one transaction, and then the versions that are still to be erased. An
 * interrupted purge may run again.
 */
async function eraseKeys(environment: VaultEnvironment, workspace_id: string): Promise<void> {
  const { changes, clock, store } = environment
  for await (const { id } of store.each(cryptoKeyCollection, { workspace_id })) {
    await store.tx(async tx => {
      const key = await tx.lock(cryptoKeyCollection, id)
      if (!key) return
      await removeKey(environment, tx, key, clock.now())
      await changes.revise(tx, `cryptoKeys/${id}`)
    })
  }
  const kind = 'cryptoKeys.erase'
  for await (const { value } of store.each(agenda, { workspace_id, kind }))
    await eraseKeyVersions(environment, value.resource_id)
}

async function eraseCapsules({ store }: VaultEnvironment, workspace_id: string): Promise<void> {
  for await (const { id } of store.each(capsuleCollection, { workspace_id })) {
    await store.tx(async tx => {
      const capsule = await tx.lock(capsuleCollection, id)
      if (capsule) await removeCapsule(tx, capsule)
    })
  }
}

/** Counts the active capsules of a workspace; the others hold nothing. */
async function activeCapsules(reader: Reader, workspace_id: string): Promise<readonly Holding[]> {
  const count = await reader.count(capsuleCollection, { workspace_id, state: capsuleState('ACTIVE') })
  return [{ resourceType: 'vault.capsules', count }]
}
