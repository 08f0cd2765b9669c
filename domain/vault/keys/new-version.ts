import { createHash } from 'node:crypto'
import { keyVersionQuotaExceeded } from '../../../output/vault/errors.ts'
import type { CryptoKey } from '../../../output/vault/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Transaction } from '../../ports/store.ts'
import { nextEtag } from '../../resources/etag.ts'
import type { Material } from './material.ts'
import type { Materials } from './materials.ts'
import { keyVersionCollection, keyVersionRowId, versionState, type StoredKeyVersion } from './key-versions-store.ts'

/** The maximal number of versions of a key that are not destroyed. */
const maxVersions = 100

/** Returns a new version of a key, whose material is not yet made. `number` counts from 1. */
export function pendingVersion(
  { algorithm = 'VAULT_CRYPTO_KEY_ALGORITHM_UNSPECIFIED', id, protection_level, workspace_id }: CryptoKey,
  { isPrimary, now, number }: { readonly number: number; readonly isPrimary: boolean; readonly now: number },
): StoredKeyVersion {
  const time = formatMillis(now)
  return {
    row_id: keyVersionRowId(id, String(number)),
    workspace_id,
    operation_id: '',
    id: String(number),
    version: number,
    crypto_key_id: id,
    state: versionState('PENDING_GENERATION'),
    algorithm,
    protection_level,
    is_primary: isPrimary,
    public_key_pem: '',
    public_key_sha256: '',
    etag: nextEtag(undefined),
    create_time: time,
    update_time: time,
  }
}

/** Returns a version with its material: ENABLED, with its public key if it has one. The etag is not changed. */
export function generatedVersion(
  version: StoredKeyVersion,
  { publicKey }: Pick<Material, 'publicKey'>,
  now: number,
): StoredKeyVersion {
  const time = formatMillis(now)
  return {
    ...version,
    state: versionState('ENABLED'),
    generate_time: time,
    update_time: time,
    ...(publicKey && {
      public_key_pem: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
      public_key_sha256: createHash('sha256')
        .update(publicKey.export({ format: 'der', type: 'spki' }))
        .digest('hex'),
    }),
  }
}

/** Inserts a version, with its material unless the material is made later. */
export async function insertVersion(
  tx: Transaction,
  materials: Materials,
  version: StoredKeyVersion,
  material: Material | undefined,
): Promise<void> {
  await tx.insert(keyVersionCollection, version)
  if (material) await materials.add(tx, version, material.secret)
}

/** Throws KEY_VERSION_QUOTA_EXCEEDED if a key, whose row is locked, has as many versions as it may have. */
export async function requireVersionQuota(tx: Transaction, { id }: CryptoKey): Promise<void> {
  const all = await tx.count(keyVersionCollection, { crypto_key_id: id })
  if (all < maxVersions) return
  const destroyed = await tx.count(keyVersionCollection, { crypto_key_id: id, state: versionState('DESTROYED') })
  if (all - destroyed < maxVersions) return
  throw keyVersionQuotaExceeded(
    `crypto key ${id} has ${maxVersions} versions that are not destroyed; destroy a version first`,
    { quota: [{ subject: id, description: `${maxVersions} versions` }] },
  )
}
