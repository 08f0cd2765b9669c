import { noReadyInstance, storageClassNotFound } from '../../../output/storage/errors.ts'
import { atField } from '../../../runtime/errors.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { classKind } from '../classes/class-kind.ts'
import { classCollection, type StoredClass } from '../classes/classes-store.ts'
import { readyRegions } from '../class-calls/answered-classes.ts'
import type { StorageEnvironment } from '../environment.ts'
import { instanceCollection, type StoredInstance } from '../instances/instances-store.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'

type Wanted = Pick<StoredBucket, 'engine' | 'storage_class' | 'region' | 'multi_region'>

/** The place of a new bucket: its class, its region and its instance. */
export interface BucketPlace extends Pick<StoredBucket, 'storage_class' | 'region' | 'instance_id'> {
  readonly classId: string
}

/**
 * Chooses the place of a new bucket, and shares the class, so that no other transaction deletes it (storage.md 1). Throws
 * STORAGE_CLASS_NOT_FOUND, FIELD_INVALID for a region that does not exist or cannot be chosen, and NO_READY_INSTANCE.
 */
export async function placeBucket(
  { functions }: Pick<StorageEnvironment, 'functions'>,
  tx: Transaction,
  wanted: Wanted,
): Promise<BucketPlace> {
  const { id: classId, value: chosen } = await requireClass(tx, wanted)
  await requireKnown(functions.topology, tx, wanted)
  const { multi_region, name: storage_class, state } = chosen
  const refuse = (message: string) =>
    noReadyInstance(message, {
      precondition: [
        { type: 'INSTANCE', subject: storage_class, description: 'a READY instance must be in the region' },
      ],
    })
  if (state === 'STORAGE_CLASS_STATE_DEPRECATED')
    throw refuse(`storage class ${storage_class} is DEPRECATED and takes no new bucket`)
  if (wanted.multi_region !== '' && wanted.multi_region !== multi_region)
    throw refuse(`storage class ${storage_class} does not offer multi-region ${wanted.multi_region}`)
  const offered = (await readyRegions(tx, [classId])).get(classId) ?? []
  const region = wanted.region === '' ? onlyRegion(offered, storage_class) : wanted.region
  const instance = region === undefined ? undefined : await roomiest(tx, classId, region)
  if (region === undefined || instance === undefined)
    throw refuse(`storage class ${storage_class} has no READY instance${region === undefined ? '' : ` in ${region}`}`)
  return { classId, storage_class, region, instance_id: instance.id }
}

/** Returns and shares the class that a bucket names, or else the default class of the engine. */
export async function requireClass(
  tx: Transaction,
  { engine, storage_class: name }: Wanted,
): Promise<Stored<StoredClass>> {
  const id =
    name === ''
      ? (await tx.find(classCollection, { default_of: engine }))?.id
      : await classKind.idNamed(tx, name, engine)
  const found = id === undefined ? undefined : await tx.share(classCollection, id)
  if (found) return found
  if (name === '')
    throw fieldInvalid([{ field: 'storage_class', description: `is required: engine ${engine} has no default class` }])
  const message = `engine ${engine} has no storage class ${name}`
  throw atField(storageClassNotFound(message, { resource: { type: classKind.type, name } }), 'storage_class')
}

/** Throws FIELD_INVALID for a region or multi-region that does not exist. */
export async function requireKnown(
  topology: StorageEnvironment['functions']['topology'],
  tx: Transaction,
  { multi_region, region }: Wanted,
): Promise<void> {
  // Without an area of topology, the regions are not known.
  if (!topology) return
  if (region !== '' && !(await topology.requireRegion(tx, region)))
    throw fieldInvalid([{ field: 'region', description: `no region is called ${region}` }])
  if (multi_region !== '' && !(await topology.requireMultiRegion(tx, multi_region)))
    throw fieldInvalid([{ field: 'multi_region', description: `no multi-region is called ${multi_region}` }])
}

/** Returns the only region of a class; undefined if the class offers none. Throws FIELD_INVALID if there are several. */
export function onlyRegion(offered: readonly string[], storageClass: string): string | undefined {
  if (offered.length > 1) {
    const regions = offered.join(', ')
    const description = `is required: storage class ${storageClass} offers several regions: ${regions}`
    throw fieldInvalid([{ field: 'region', description }])
  }
  return offered[0]
}

/** Returns the READY instance of a class in a region with the most available bytes, then the first by its name. */
async function roomiest(tx: Transaction, classId: string, region: string): Promise<StoredInstance | undefined> {
  const where = { storage_class_id: classId, region, state: 'STORAGE_CLASS_INSTANCE_STATE_READY' } as const
  let best: StoredInstance | undefined
  for await (const { value } of tx.each(instanceCollection, where)) {
    const more = best === undefined ? 1 : value.available_bytes - best.available_bytes
    if (best === undefined || more > 0 || (more === 0 && value.name < best.name)) best = value
  }
  return best
}
