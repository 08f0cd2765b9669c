import {
  cryptoKeyDeleteScheduled,
  cryptoKeyInUse,
  keyVersionNotReady,
  keyVersionState,
  primaryVersionInUse,
} from '../../../output/vault/errors.ts'
import type { VaultArea } from '../../../output/vault/area.ts'
import type { CryptoKeyVersionHandlers } from '../../../output/vault/handlers.ts'
import type { CryptoKey } from '../../../output/vault/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { checkEtag } from '../../../runtime/field-mask.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Effect } from '../../ports/operations.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { nextEtag } from '../../resources/etag.ts'
import { requireFound } from '../../resources/find-rows.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { VaultEnvironment } from '../environment.ts'
import { payloadCollection } from '../secrets/secret-versions-store.ts'
import { durationMs } from '../../resources/durations.ts'
import { setAgenda } from '../work/agenda.ts'
import { cryptoKeyKind } from './crypto-key-kind.ts'
import { cryptoKeyCollection } from './crypto-keys-store.ts'
import { destroyed, scheduled } from './key-deletion.ts'
import {
  isInState,
  keyVersionCollection,
  keyVersionRowId,
  versionState,
  type StoredKeyVersion,
} from './key-versions-store.ts'
import { absentVersion } from './primary-version.ts'

/** The path of a version. */
interface VersionPath {
  readonly workspace: string
  readonly engine: string
  readonly cryptokey: string
  readonly id: string
}

/** A locked version and its locked key. */
interface Locked {
  readonly key: Stored<CryptoKey>
  readonly version: Stored<StoredKeyVersion>
}

/** Returns the calls of the versions of crypto keys. */
export function keyVersions(environment: VaultEnvironment): CryptoKeyVersionHandlers {
  const { store, taxonomy } = environment
  const find = (path: VersionPath): Promise<StoredKeyVersion> => findVersion(environment, path)
  return {
    async listCryptoKeyVersions(request, { query }) {
      const { cryptokey, engine, workspace } = request
      const key = await store.get(cryptoKeyCollection, cryptokey)
      await requireFound(store, taxonomy, cryptoKeyKind, { workspace, engine, id: cryptokey }, key)
      return store.list(keyVersionCollection, query, { crypto_key_id: cryptokey })
    },
    async getCryptoKeyVersion(request) {
      const { operation_id: _work, row_id: _row, workspace_id: _workspace, ...version } = await find(request)
      return version
    },
    cancelDestroyCryptoKeyVersion: (request, context) =>
      change(environment, request, context, 'CANCEL_DESTROY', (tx, locked) => cancelDestroy(tx, locked, context.now)),
    destroyCryptoKeyVersion: (request, context) =>
      change(environment, request, context, 'DESTROY', (tx, locked) => destroy(environment, tx, locked, context.now)),
    disableCryptoKeyVersion: (request, context) =>
      change(environment, request, context, request.body.disabled ? 'DISABLE' : 'ENABLE', (tx, locked) =>
        setDisabled(environment, tx, locked, request.body.disabled, context.now),
      ),
  }
}

/** Returns the version that a path names. Throws CRYPTO_KEY_NOT_FOUND or KEY_VERSION_NOT_FOUND. */
async function findVersion({ store, taxonomy }: VaultEnvironment, path: VersionPath): Promise<StoredKeyVersion> {
  const { cryptokey, engine, id, workspace } = path
  const key = await store.get(cryptoKeyCollection, cryptokey)
  await requireFound(store, taxonomy, cryptoKeyKind, { workspace, engine, id: cryptokey }, key)
  const version = await store.get(keyVersionCollection, keyVersionRowId(cryptokey, id))
  if (!version) throw absentVersion(cryptokey, id)
  return version.value
}

/** Runs a verb of a version, with the checks of conventions §4 in their order. */
function change(
  { operations, taxonomy }: VaultEnvironment,
  request: VersionPath & { readonly body: { readonly etag?: string } },
  context: CallContext,
  type: Effect<VaultArea>['type'],
  verb: (tx: Transaction, locked: Locked) => Promise<void>,
) {
  const { cryptokey, engine, id, workspace } = request
  return operations.mutate(context, request, async tx => {
    await taxonomy.share(tx, workspaceScope(workspace))
    const path = { workspace, engine, id: cryptokey }
    const key = await requireFound(tx, taxonomy, cryptoKeyKind, path, await tx.lock(cryptoKeyCollection, cryptokey))
    const version = await tx.lock(keyVersionCollection, keyVersionRowId(cryptokey, id))
    if (!version) throw absentVersion(cryptokey, id)
    checkEtag(request.body.etag, version.value.etag)
    await taxonomy.requireActive(tx, workspace)
    await verb(tx, { key, version })
    const resourceId = keyVersionRowId(cryptokey, id)
    return { type, resourceType: 'vault.cryptoKeyVersions', resourceId, scope: workspaceScope(workspace) }
  })
}

async function setDisabled(
  { changes }: VaultEnvironment,
  tx: Transaction,
  { key, version }: Locked,
  isDisabled: boolean,
  now: number,
): Promise<void> {
  requireNotScheduled(key.value)
  requireState(version.value, ['ENABLED', 'DISABLED'])
  const state = versionState(isDisabled ? 'DISABLED' : 'ENABLED')
  if (version.value.state === state) return
  await write(tx, version, { ...version.value, state }, now)
  await changes.revise(tx, `cryptoKeys/${key.id}`)
}

async function destroy(
  { changes, pinned }: VaultEnvironment,
  tx: Transaction,
  { key, version }: Locked,
  now: number,
): Promise<void> {
  requireNotScheduled(key.value)
  const { id, value } = version
  requireState(value, ['ENABLED', 'DISABLED', 'GENERATION_FAILED'], () => requireNotPrimary(value))
  await requireUnused(tx, value)
  await pinned.requireDestroyable(tx, value, now)
  if (isInState(value, 'GENERATION_FAILED')) {
    await tx.update(keyVersionCollection, id, destroyed(value, now), version.version)
    return
  }
  const time = formatMillis(now + durationMs(key.value.destroy_scheduled_duration))
  await tx.update(keyVersionCollection, id, scheduled(value, time, now), version.version)
  await setAgenda(tx, 'cryptoKeyVersions.destroy', { id, workspace_id: value.workspace_id }, time)
  await changes.revise(tx, `cryptoKeys/${key.id}`)
}

async function cancelDestroy(tx: Transaction, { key, version }: Locked, now: number): Promise<void> {
  const { id, value } = version
  requireState(value, ['DESTROY_SCHEDULED'])
  const { destroy_time: _planned, ...kept } = value
  await write(tx, version, { ...kept, state: versionState('DISABLED') }, now)
  await setAgenda(tx, 'cryptoKeyVersions.destroy', { id, workspace_id: value.workspace_id }, undefined)
  if (key.value.state !== 'VAULT_CRYPTO_KEY_STATE_DELETE_SCHEDULED') return
  const { delete_time: _deleted, ...alive } = key.value
  const members = { etag: nextEtag(alive.etag), update_time: formatMillis(now) }
  const next: CryptoKey = { ...alive, ...members, state: 'VAULT_CRYPTO_KEY_STATE_ENABLED' }
  await tx.update(cryptoKeyCollection, key.id, next, key.version)
  await setAgenda(tx, 'cryptoKeys.rotate', next, next.next_rotation_time)
}

async function write(
  tx: Transaction,
  { id, version }: Stored<StoredKeyVersion>,
  value: StoredKeyVersion,
  now: number,
): Promise<void> {
  const members = { etag: nextEtag(value.etag), update_time: formatMillis(now) }
  await tx.update(keyVersionCollection, id, { ...value, ...members }, version)
}

/** Throws CRYPTO_KEY_DELETE_SCHEDULED for a key that is going to be deleted. */
export function requireNotScheduled({ id, state }: CryptoKey): void {
  if (state === 'VAULT_CRYPTO_KEY_STATE_ENABLED') return
  throw cryptoKeyDeleteScheduled(
    `crypto key ${id} is going to be deleted; cancel the destruction of a version to keep the key`,
    {
      resource: { type: cryptoKeyKind.type, name: id },
      precondition: [{ type: 'STATE', subject: id, description: 'the key must be ENABLED' }],
    },
  )
}

/** Throws KEY_VERSION_NOT_READY or KEY_VERSION_STATE unless the version is in one of the states; then calls `more`. */
function requireState(
  version: StoredKeyVersion,
  states: readonly Parameters<typeof versionState>[0][],
  more: () => void = () => {},
): void {
  const { row_id, state } = version
  const resource = { type: 'vault.cryptoKeyVersions', name: row_id }
  const wanted = states.join(' or ')
  const precondition = [{ type: 'STATE', subject: row_id, description: `the version must be ${wanted}` }]
  if (isInState(version, 'PENDING_GENERATION'))
    throw keyVersionNotReady(`the material of ${row_id} is still generated; retry in some seconds`, {
      resource,
      precondition,
    })
  if (!isInState(version, ...states))
    throw keyVersionState(
      `version ${row_id} is ${state}; the call needs ${wanted}`,
      { state },
      { resource, precondition },
    )
  more()
}

function requireNotPrimary({ id, is_primary, row_id }: StoredKeyVersion): void {
  if (!is_primary) return
  throw primaryVersionInUse(`version ${id} is the primary version; rotate the key or make another version primary`, {
    resource: { type: 'vault.cryptoKeyVersions', name: row_id },
    precondition: [{ type: 'PRIMARY', subject: row_id, description: 'the version must not be the primary version' }],
  })
}

/** Throws CRYPTO_KEY_IN_USE if the version encrypts a payload of a secret. */
async function requireUnused(tx: Transaction, { crypto_key_id, id, row_id }: StoredKeyVersion): Promise<void> {
  const count = await tx.count(payloadCollection, { crypto_key_id, crypto_key_version: id })
  if (count === 0) return
  throw cryptoKeyInUse(`version ${id} encrypts the payloads of secrets; destroy their versions first`, {
    resource: { type: 'vault.cryptoKeyVersions', name: row_id },
    precondition: [{ type: 'vault.secretVersions', subject: row_id, description: `${count} left` }],
  })
}
