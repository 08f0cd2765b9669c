import type { Filter } from '../../../runtime/filter/types.ts'
import type { ListQuery } from '../../../runtime/pagination.ts'
import type { Reader } from '../../ports/store.ts'
import type { ListedObject, ObjectPlace } from '../../ports/storage.ts'
import { byName } from '../bucket-calls/bucket-contents.ts'
import { nameRange } from '../objects/name-range.ts'
import { versionCollection } from '../objects/versions-store.ts'
import { placedBucket } from './placed-bucket.ts'
import { factsOf } from './read-object.ts'

/** The number of rows that are read at once. */
const pageSize = 100

/** Iterates over the objects below a prefix for another area; see `Storage`. */
export async function* listObjects(
  reader: Reader,
  place: Pick<ObjectPlace, 'workspace' | 'bucket'>,
  prefix: string,
): AsyncGenerator<ListedObject, void, undefined> {
  const { id: bucket_id } = await placedBucket(reader, place)
  const filter: Filter = { kind: 'and', terms: nameRange(prefix) }
  let after: ListQuery['after']
  do {
    const query: ListQuery = { size: pageSize, filter, order: byName, after, now: 0 }
    const where = { bucket_id, is_latest: true, is_delete_marker: false }
    const page = await reader.page(versionCollection, query, where)
    for (const { value } of page.items) yield { object: value.name, ...factsOf(value) }
    after = page.next
  } while (after !== undefined)
}
