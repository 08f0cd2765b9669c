import { instanceAlreadyExists } from '../../../output/storage/errors.ts'
import type { StorageClassInstanceHandlers } from '../../../output/storage/handlers.ts'
import type { ParsedInstantiateStorageClassRequest, StorageClassInstance } from '../../../output/storage/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { JsonText } from '../../../runtime/json.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Effect } from '../../ports/operations.ts'
import type { Reader, Stored, Transaction } from '../../ports/store.ts'
import type { KnownLocation } from '../../ports/topology.ts'
import { idOf, requireFound } from '../../resources/find-rows.ts'
import type { RowPath } from '../../resources/kind.ts'
import { withMembers } from '../../resources/json-text.ts'
import { addReference, dropReferencesOf } from '../../resources/references.ts'
import { Rows } from '../../resources/rows.ts'
import { bucketCollection } from '../buckets/buckets-store.ts'
import { classKind } from '../classes/class-kind.ts'
import { classCollection, type StoredClass } from '../classes/classes-store.ts'
import type { StorageArea } from '../../../output/storage/area.ts'
import type { StorageEnvironment } from '../environment.ts'
import { instanceKind } from './instance-kind.ts'
import { instanceCollection, type StoredInstance } from './instances-store.ts'
import { provisioning } from './provision.ts'

/** The engine of all classes with instances. */
const engine = 'native'

/** Returns the handlers of the instances of storage classes. */
export function storageClassInstances(environment: StorageEnvironment): StorageClassInstanceHandlers {
  const { store } = environment
  const rows = new Rows<StoredInstance>(instanceKind, environment)
  return {
    async listStorageClassInstances(request, { query }) {
      const { id } = await requireClass(environment, store, request.storage_class)
      const page = await store.page(instanceCollection, query, { storage_class_id: id })
      return { ...page, items: page.items.map(await instanceAnswers(store, page.items)) }
    },
    async getStorageClassInstance(request) {
      const { id: storage_class } = await requireClass(environment, store, request.storage_class)
      const path: RowPath & { readonly storage_class: string } = { id: request.id, storage_class }
      const stored = await rows.read(path)
      return (await instanceAnswers(store, [stored]))(stored)
    },
    instantiateStorageClass: (request, context) => instantiate(environment, request, context),
  }
}

/** Returns the class that a path names by its id or name. Throws STORAGE_CLASS_NOT_FOUND. */
async function requireClass({ taxonomy }: StorageEnvironment, reader: Reader, idOrName: string) {
  const id = await idOf(reader, classKind, idOrName, engine)
  const stored = id === undefined ? undefined : await reader.get(classCollection, id)
  return requireFound(reader, taxonomy, classKind, { id: idOrName, engine }, stored)
}

type ReadInstance = Pick<Stored<StoredInstance>, 'id' | 'text'>

/** Returns a function that makes the answers for these instances, with the number of their buckets. */
async function instanceAnswers(
  reader: Reader,
  instances: readonly ReadInstance[],
): Promise<(read: ReadInstance) => JsonText<StorageClassInstance>> {
  const counts = await reader.tally(bucketCollection, 'instance_id', { instance_id: instances.map(({ id }) => id) })
  return ({ id, text }) => withMembers(text, { bucket_count: counts.get(id) ?? 0 })
}

function instantiate(
  environment: StorageEnvironment,
  request: ParsedInstantiateStorageClassRequest,
  context: CallContext,
): Promise<JsonText<StorageArea['record']>> {
  const newId = environment.clock.newId()
  return environment.operations.mutate(context, request, async (tx): Promise<Effect<StorageArea>> => {
    const { id: classId } = await requireClass(environment, tx, request.storage_class)
    const found = await tx.share(classCollection, classId)
    const parent = await requireFound(tx, environment.taxonomy, classKind, { id: classId, engine }, found)
    const place = await requirePlace(environment, tx, request.body)
    const row = newInstance(newId, parent.value, request, place.region, context)
    const id = await writeInstance(tx, row)
    const pool = place.resourcePoolId
    if (pool !== undefined)
      await addReference(tx, { type: 'topology.resourcePools', id: pool }, { type: instanceKind.type, id })
    return {
      type: 'CREATE',
      resourceType: instanceKind.type,
      resourceId: id,
      scope: { type: 'PLATFORM', id: '' },
      procedure: { kind: provisioning, input: { instance: id } },
    }
  })
}

/** Throws FIELD_INVALID unless the location is ENABLED and has the resource pool, if one is named. */
async function requirePlace(
  { functions: { topology } }: StorageEnvironment,
  tx: Transaction,
  { location, resource_pool }: ParsedInstantiateStorageClassRequest['body'],
): Promise<KnownLocation> {
  const found = await topology?.requireLocation(tx, location, resource_pool === '' ? undefined : resource_pool)
  if (!found)
    throw fieldInvalid([{ field: 'location', description: `must be an ENABLED location, unlike ${location}` }])
  if (resource_pool !== '' && found.resourcePoolId === undefined)
    throw fieldInvalid([{ field: 'resource_pool', description: `must be a resource pool of location ${location}` }])
  return found
}

const newInstance = (
  id: string,
  { id: storage_class_id, name: storage_class }: StoredClass,
  { body: { location, name, resource_pool } }: ParsedInstantiateStorageClassRequest,
  region: string,
  { now }: CallContext,
): StoredInstance => ({
  id,
  name,
  storage_class,
  storage_class_id,
  location,
  region,
  resource_pool,
  state: 'STORAGE_CLASS_INSTANCE_STATE_PROVISIONING',
  capacity_bytes: 0,
  used_bytes: 0,
  available_bytes: 0,
  conditions: [],
  create_time: formatMillis(now),
  update_time: formatMillis(now),
})

/**
 * Writes the row of a new instance, or replaces a failed instance of the same name by a new attempt. Returns the id.
 * Throws INSTANCE_ALREADY_EXISTS for a name whose instance has not failed.
 */
async function writeInstance(tx: Transaction, row: StoredInstance): Promise<string> {
  const { name, storage_class, storage_class_id } = row
  const known = await tx.find(instanceCollection, { storage_class_id, name })
  const stored = known && (await tx.lock(instanceCollection, known.id))
  if (!stored) return (await tx.insert(instanceCollection, row)).id
  const { create_time, id, state } = stored.value
  if (state !== 'STORAGE_CLASS_INSTANCE_STATE_FAILED')
    throw instanceAlreadyExists(`storage class ${storage_class} has an instance named ${name}`, {
      resource: { type: instanceKind.type, name: id },
    })
  await dropReferencesOf(tx, { type: instanceKind.type, id })
  await tx.update(instanceCollection, id, { ...row, id, create_time }, stored.version)
  return id
}
