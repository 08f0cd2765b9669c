import { storageClassInUse } from '../../../output/storage/errors.ts'
import type { ParsedStorageClass, S3ClassSettings, StorageClassUpdate } from '../../../output/storage/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { FieldViolation } from '../../../runtime/errors.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import { platformWorkspaceId } from '../../ports/reserved.ts'
import type { Transaction } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { addReference, dropReference } from '../../resources/references.ts'
import { bucketCollection } from '../buckets/buckets-store.ts'
import { classKind } from '../classes/class-kind.ts'
import type { StoredClass } from '../classes/classes-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { credentialsPlace } from '../remote-store/credentials.ts'

/** Throws FIELD_INVALID for the body of a class with the block of the native engine. */
export function requireForm({ native }: Pick<StorageClassUpdate, 'native'>): void {
  if (native === undefined) return
  throw fieldInvalid([{ field: 'native', description: 'belongs to the engine native alone; leave it out' }])
}

/** Returns the settings of a new class. Throws FIELD_INVALID without an S3 store, a region and a multi-region. */
export function requireWhole({ s3, ...places }: ParsedStorageClass): S3ClassSettings {
  const faults = [...placeFaults(places)]
  if (s3 === undefined) faults.unshift({ field: 's3', description: 'is required for a class of an S3 store' })
  if (s3 === undefined || faults.length > 0) throw fieldInvalid(faults)
  return { ...s3, capabilities: [] }
}

/** Throws FIELD_INVALID for a class without a region and a multi-region. */
export function requirePlace(places: Pick<StoredClass, 'regions' | 'multi_region'>): void {
  const faults = placeFaults(places)
  if (faults.length > 0) throw fieldInvalid(faults)
}

const placeFaults = ({
  multi_region,
  regions = [],
}: Pick<StoredClass, 'regions' | 'multi_region'>): FieldViolation[] =>
  regions.length > 0 || multi_region !== ''
    ? []
    : [{ field: 'regions', description: 'must name a region, because the class has no multi-region' }]

/** Throws IAM_PERMISSION_DENIED unless the caller may access the secrets of the platform (conventions §12). */
export const requireSecretAccess = (
  { access }: Pick<StorageEnvironment, 'access'>,
  context: CallContext,
): Promise<void> => access.require(context, 'vault.secretVersions.access', workspaceScope(platformWorkspaceId))

/**
 * Records what a class refers to: its secret, and its multi-region. Throws FIELD_INVALID for a secret, a region and a
 * multi-region that do not exist.
 */
export async function referTo(
  { functions }: Pick<StorageEnvironment, 'functions'>,
  tx: Transaction,
  { id, multi_region, regions = [], s3 }: StoredClass,
  before?: StoredClass,
): Promise<void> {
  const { topology, vault } = functions
  const holder = { type: classKind.type, id }
  for (const [i, region] of regions.entries())
    if (topology && !(await topology.requireRegion(tx, region)))
      throw fieldInvalid([{ field: `regions[${i}]`, description: `no region is called ${region}` }])
  if (topology && multi_region !== '' && before === undefined) {
    const found = await topology.requireMultiRegion(tx, multi_region)
    if (!found)
      throw fieldInvalid([{ field: 'multi_region', description: `no multi-region is called ${multi_region}` }])
    await addReference(tx, { type: 'topology.multiRegions', id: found.id }, holder)
  }
  const [wanted, used] = [s3?.credentials_secret_id ?? '', before?.s3?.credentials_secret_id]
  if (wanted === used) return
  if (used !== undefined) await dropReference(tx, { type: 'vault.secrets', id: used }, holder)
  if (await vault?.useSecret(tx, credentialsPlace(wanted), holder)) return
  const description = 'names no secret of the workspace platform'
  throw fieldInvalid([{ field: 's3.credentials_secret_id', description }])
}

/** Throws STORAGE_CLASS_IN_USE if a region that a class no longer offers has buckets of the class. */
export async function requireRegionsKept(
  tx: Transaction,
  { engine, id, name, regions = [] }: StoredClass,
  before: StoredClass,
): Promise<void> {
  for (const region of before.regions ?? []) {
    if (regions.includes(region)) continue
    const count = await tx.count(bucketCollection, { engine, storage_class: name, region })
    if (count === 0) continue
    throw storageClassInUse(`storage class ${name} has buckets in region ${region}, which cannot be taken away`, {
      resource: { type: classKind.type, name: id },
      precondition: [{ type: 'IN_USE', subject: region, description: `${count} storage.buckets` }],
    })
  }
}
