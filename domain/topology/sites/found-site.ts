import type { Reader, Store, Stored } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { idOf, requireFound } from '../../resources/find-rows.ts'
import type { Kind } from '../../resources/kind.ts'
import type { Row } from '../../resources/row.ts'

/** The parts that reads of sites need. */
export interface SiteParts {
  readonly store: Store
  readonly taxonomy: Pick<Taxonomy, 'chain'>
}

/** Returns the row that a path names by its id or name. Throws the kind's `*_NOT_FOUND` if there is no such row. */
export async function foundSite<T extends Row>(
  reader: Reader,
  kind: Kind<T>,
  { taxonomy }: Pick<SiteParts, 'taxonomy'>,
  path: { readonly id: string },
): Promise<Stored<T>> {
  const id = await idOf(reader, kind, path.id)
  const stored = id === undefined ? undefined : await reader.get(kind.collection, id)
  return requireFound(reader, taxonomy, kind, path, stored)
}
