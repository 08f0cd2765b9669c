import type { Filter, FilterField } from '../../../runtime/filter/types.ts'
import type { ListQuery } from '../../../runtime/pagination.ts'
import type { Collection, Reader, Stored } from '../../ports/store.ts'

const size = 100

/** Yields all documents that match `filter`, in the order of `field`. Reads in pages, so that memory stays bounded. */
export async function* pages<T>(
  reader: Reader,
  collection: Collection<T>,
  filter: Filter,
  field: FilterField,
): AsyncGenerator<Stored<T>, void, undefined> {
  const key: FilterField = { name: collection.id, type: 'STRING', operators: [] }
  const order = [field, key].map(each => ({ field: each, descending: false }))
  let after: ListQuery['after']
  do {
    const page = await reader.page(collection, { size, filter, order, after, now: 0 })
    yield* page.items
    after = page.next
  } while (after !== undefined)
}
