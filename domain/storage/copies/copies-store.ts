import type { Collection } from '../../ports/store.ts'

/** The row of a copy between instances that is in progress. It holds a reference to the content of its source. */
export interface StoredCopy {
  readonly id: string
  readonly content_id: string
}

/** The copies in progress. */
export const copyCollection: Collection<StoredCopy> = {
  name: 'storage_copies',
  id: 'id',
  columns: { content_id: 'STRING' },
}
