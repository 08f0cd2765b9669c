import type { StorageClass } from '../../../output/storage/types.ts'
import type { JsonText } from '../../../runtime/json.ts'
import type { Reader } from '../../ports/store.ts'
import { withMembers } from '../../resources/json-text.ts'
import { bucketCollection } from '../buckets/buckets-store.ts'
import { instanceCollection } from '../instances/instances-store.ts'
import type { StoredClass } from '../classes/classes-store.ts'

/** A class as it is read: its text, and the members that its answer depends on. */
export interface ReadClass {
  readonly id: string
  readonly name: string
  readonly text: JsonText<StoredClass>
}

/**
 * Returns a function that makes the answers for these classes of one engine, with the regions of the READY instances in
 * ascending order and the number of buckets in all workspaces.
 */
export async function classAnswers(
  reader: Reader,
  engine: string,
  classes: readonly Omit<ReadClass, 'text'>[],
): Promise<(read: ReadClass) => JsonText<StorageClass>> {
  const ids = classes.map(({ id }) => id)
  const regions = await readyRegions(reader, ids)
  const where = { engine, storage_class: classes.map(({ name }) => name) }
  const counts = await reader.tally(bucketCollection, 'storage_class', where)
  return ({ id, name, text }) =>
    withMembers(text, { regions: regions.get(id) ?? [], bucket_count: counts.get(name) ?? 0 })
}

/** Returns the regions with a READY instance, for each class by its id, in ascending order. */
export async function readyRegions(reader: Reader, ids: readonly string[]): Promise<ReadonlyMap<string, string[]>> {
  const regions = new Map<string, string[]>()
  const where = { storage_class_id: ids, state: 'STORAGE_CLASS_INSTANCE_STATE_READY' } as const
  for await (const { value } of reader.each(instanceCollection, where)) {
    const known = regions.get(value.storage_class_id) ?? []
    if (!known.includes(value.region)) known.push(value.region)
    regions.set(value.storage_class_id, known)
  }
  // The names of regions have ASCII characters alone, which sort the same by code unit and by code point.
  for (const each of regions.values()) each.sort()
  return regions
}
