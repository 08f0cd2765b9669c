import { keyVersionNotReady } from '../../../output/vault/errors.ts'
import type { VaultArea } from '../../../output/vault/area.ts'
import type { CryptoKeyHandlers } from '../../../output/vault/handlers.ts'
import type { CryptoKey, ParsedCreateCryptoKeyRequest } from '../../../output/vault/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Transaction } from '../../ports/store.ts'
import { nextEtag } from '../../resources/etag.ts'
import type { VerbChange } from '../../resources/mutation-rules.ts'
import { Resources } from '../../resources/resources.ts'
import type { VaultEnvironment } from '../environment.ts'
import { durationMs } from '../../resources/durations.ts'
import { withAnsweredTimes } from '../../resources/answered-times.ts'
import { setAgenda } from '../work/agenda.ts'
import { cryptoKeyKind } from './crypto-key-kind.ts'
import { cryptoKeyCollection } from './crypto-keys-store.ts'
import { scheduleDeletion } from './key-deletion.ts'
import { requireFits, schemeOf } from './key-form.ts'
import { changePrimary } from './primary-version.ts'
import { demote, orderGeneration } from './generate-key.ts'
import { keyVersionCollection, versionState, type StoredKeyVersion } from './key-versions-store.ts'
import { generateMaterial, isSlow, type Material } from './material.ts'
import { generatedVersion, insertVersion, pendingVersion, requireVersionQuota } from './new-version.ts'
import { defaultAlgorithms } from './schemes.ts'

/** The calls that create, change and delete crypto keys. */
export type KeyCalls = Pick<
  CryptoKeyHandlers,
  'createCryptoKey' | 'deleteCryptoKey' | 'getCryptoKey' | 'listCryptoKeys' | 'rotateCryptoKey' | 'updateCryptoKey'
>

/** Returns the calls that create, change and delete crypto keys. */
export function keyCalls(environment: VaultEnvironment): KeyCalls {
  const resources = new Resources<CryptoKey, VaultArea>(cryptoKeyKind, environment)
  return {
    listCryptoKeys: (request, context) => resources.list(request, context),
    getCryptoKey: request => resources.get(request),
    async createCryptoKey(request, context) {
      const key = { ...resources.standard(request, context), ...newKey(request, context) }
      requireFits(key)
      const { material, version } = await newVersion(key, { isPrimary: true, now: context.now, number: 1 })
      const answer = await resources.create(request, context, key, {
        async count(tx, operation_id) {
          await insertVersion(tx, environment.materials, material ? version : { ...version, operation_id }, material)
          await setAgenda(tx, 'cryptoKeys.rotate', key, key.next_rotation_time)
          return material ? {} : { procedure: orderGeneration(version) }
        },
      })
      material?.secret.fill(0)
      return answer
    },
    async updateCryptoKey(request, context) {
      const body = withAnsweredTimes(request.body, 'next_rotation_time')
      return resources.update({ ...request, body }, context, {
        absent: ({ primary_version, purpose }) => ({
          ...(primary_version !== undefined && { primary_version }),
          ...(purpose !== 'VAULT_CRYPTO_KEY_PURPOSE_UNSPECIFIED' && { algorithm: defaultAlgorithms[purpose] }),
        }),
        async refer(tx, { changed, value }, before) {
          const rotation = rotationOf(value, context.now)
          requireFits({ ...value, ...rotation })
          if (changed.includes('primary_version')) await changePrimary(tx, before, value.primary_version ?? '')
          return { members: rotation }
        },
        async count(tx, { changed, value }) {
          const { next_rotation_time } = { ...value, ...rotationOf(value, context.now) }
          await setAgenda(tx, 'cryptoKeys.rotate', value, next_rotation_time)
          if (changed.includes('primary_version')) await environment.changes.revise(tx, `cryptoKeys/${value.id}`)
        },
      })
    },
    async deleteCryptoKey(request, context) {
      const { etag } = request
      const precondition = { ...request, body: etag === undefined ? {} : { etag } }
      return resources.verb('delete', precondition, context, (tx, key) =>
        scheduleDeletion(environment, tx, key, context.now),
      )
    },
    async rotateCryptoKey(request, context) {
      const seen = (await environment.store.get(cryptoKeyCollection, request.id))?.value
      const material = seen && (await newVersion(seen, { isPrimary: false, now: context.now, number: 1 })).material
      const answer = await resources.verb('rotate', request, context, (tx, key, operationId) => {
        // A key with another algorithm than before gets its material after the answer, not in the transaction.
        const isCurrent = key.algorithm === seen?.algorithm
        return rotated(environment, tx, key, {
          material: isCurrent ? material : undefined,
          now: context.now,
          operationId,
        })
      })
      material?.secret.fill(0)
      return answer
    },
  }
}

/** Returns the members that a caller gives to a new key, with the defaults that follow from them. */
function newKey({ body }: ParsedCreateCryptoKeyRequest, { now }: CallContext) {
  const { etag: _precondition, primary_version: _later, ...given } = withAnsweredTimes(body, 'next_rotation_time')
  return {
    ...given,
    ...rotationOf(given, now),
    algorithm: given.algorithm ?? defaultAlgorithms[given.purpose],
    primary_version: '1',
    state: 'VAULT_CRYPTO_KEY_STATE_ENABLED' as const,
    version_count: 1,
  }
}

/** Returns the time of the next rotation, by default one period ahead; nothing for a key without a period. */
function rotationOf(
  { next_rotation_time, rotation_period }: Pick<CryptoKey, 'rotation_period' | 'next_rotation_time'>,
  now: number,
): Pick<CryptoKey, 'next_rotation_time'> {
  if (rotation_period === undefined || next_rotation_time !== undefined) return {}
  return { next_rotation_time: formatMillis(now + durationMs(rotation_period)) }
}

/** A new version, and its material unless the material is generated after the answer. */
interface MadeVersion {
  readonly version: StoredKeyVersion
  readonly material: Material | undefined
}

async function newVersion(
  key: CryptoKey,
  facts: { readonly number: number; readonly isPrimary: boolean; readonly now: number },
): Promise<MadeVersion> {
  const version = pendingVersion(key, facts)
  const scheme = schemeOf(key.algorithm)
  if (isSlow(scheme)) return { version, material: undefined }
  const material = await generateMaterial(scheme)
  return { version: generatedVersion(version, material, facts.now), material }
}

/** A rotation: the material, unless it is generated after the answer, and the operation that rotates. */
export interface Rotation {
  readonly material: Material | undefined
  readonly now: number
  readonly operationId: string
}

/**
 * Adds a version to a key, whose row is locked. A version with material becomes the primary version at once. Throws
 * KEY_VERSION_NOT_READY while the material of another version is generated, and KEY_VERSION_QUOTA_EXCEEDED.
 */
export async function rotated(
  { changes, materials }: Pick<VaultEnvironment, 'changes' | 'materials'>,
  tx: Transaction,
  key: CryptoKey,
  { material, now, operationId }: Rotation,
): Promise<VerbChange<CryptoKey, VaultArea>> {
  await requireNoPending(tx, key)
  await requireVersionQuota(tx, key)
  const number = key.version_count + 1
  const pending = pendingVersion(key, { isPrimary: material !== undefined, now, number })
  const version = material ? generatedVersion(pending, material, now) : { ...pending, operation_id: operationId }
  await insertVersion(tx, materials, version, material)
  const resource = { resourceType: 'vault.cryptoKeyVersions', resourceId: version.row_id } as const
  if (!material) return { ...resource, members: { version_count: number }, procedure: orderGeneration(version) }
  await demote(tx, key)
  await changes.revise(tx, `cryptoKeys/${key.id}`)
  const members = { version_count: number, primary_version: version.id, etag: nextEtag(key.etag) }
  return { ...resource, members }
}

async function requireNoPending(tx: Transaction, { id }: CryptoKey): Promise<void> {
  const pending = await tx.count(keyVersionCollection, {
    crypto_key_id: id,
    state: versionState('PENDING_GENERATION'),
  })
  if (pending === 0) return
  throw keyVersionNotReady(`the material of a version of crypto key ${id} is still generated; retry in some seconds`, {
    resource: { type: 'vault.cryptoKeys', name: id },
    precondition: [{ type: 'STATE', subject: id, description: 'no version may be PENDING_GENERATION' }],
  })
}
