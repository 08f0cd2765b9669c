import type { ListContext } from '../../runtime/context.ts'
import type { Answer } from '../../runtime/json.ts'
import type { Page } from '../../runtime/pagination.ts'
import { sharedWhere, type Store, type Stored, type Where } from '../ports/store.ts'
import type { Taxonomy } from '../ports/taxonomy.ts'
import { idOf, parameterOf, placeIn, requireFound, requirePlace } from './find-rows.ts'
import type { Kind, RowPath } from './kind.ts'
import type { Row } from './row.ts'

interface RowServices {
  readonly store: Store
  readonly taxonomy: Pick<Taxonomy, 'chain'>
}

/** A column that must equal a path parameter. */
interface Link<T> {
  readonly column: keyof T & string
  readonly parameter: string
  /** Whether paths may leave the parameter out. */
  readonly isOptional: boolean
}

/**
 * Returns the columns that hold the place of a kind's rows. The member of a parent must be a column, because lists are
 * filtered by this column.
 */
function linksOf<T extends Row>({ collection, parent }: Kind<T>): readonly Link<T>[] {
  const isColumn = (name: string): boolean => Object.hasOwn(collection.columns ?? {}, name)
  return [
    ...(isColumn('workspace_id')
      ? [{ column: 'workspace_id', parameter: 'workspace', isOptional: false } as const]
      : []),
    ...(isColumn('engine') ? [{ column: 'engine', parameter: 'engine', isOptional: true } as const] : []),
    ...(parent ? [{ column: parent.member, parameter: parent.parameter, isOptional: false }] : []),
  ]
}

/** Serves the reads of a kind, with the checks in the order of conventions §4. */
export class Rows<T extends Row> {
  readonly #kind: Kind<T>
  readonly #parts: RowServices
  readonly #links: readonly Link<T>[]

  constructor(kind: Kind<T>, parts: RowServices) {
    this.#kind = kind
    this.#parts = parts
    this.#links = linksOf(kind)
  }

  /**
   * Returns one page of the rows at a place. Throws WORKSPACE_NOT_FOUND or the parent's `*_NOT_FOUND`. The place is
   * checked only for an empty page, because a row proves that its place exists.
   */
  async list(request: object, { query }: ListContext, more: Where<T> = {}): Promise<Page<T>> {
    const { store, taxonomy } = this.#parts
    const page = await store.list(this.#kind.collection, query, { ...this.#within(request), ...more })
    if (page.items.length === 0)
      await requirePlace(store, taxonomy, this.#kind, placeIn(request), this.#parentIn(request))
    return page
  }

  /**
   * Returns the text of the row that a path names. The place of the row is compared through columns, so no document is
   * parsed. Throws the errors of `requireFound`.
   */
  async get(request: RowPath): Promise<Answer<T>> {
    const { store, taxonomy } = this.#parts
    const id = await idOf(store, this.#kind, request.id, request.engine)
    const members = this.#links.map(({ column }) => column)
    const found = id === undefined ? undefined : await store.getWith(this.#kind.collection, id, { members })
    const lies: readonly unknown[] = found?.members ?? []
    const isThere = this.#links.every(({ isOptional, parameter }, i) => {
      const named = parameterOf(request, parameter)
      return lies[i] === named || (isOptional && named === '')
    })
    if (found && isThere) return found.text
    return (await requireFound(store, taxonomy, this.#kind, request, undefined)).text
  }

  /** Returns the row that a path names, for a response with further members. Throws the errors of `requireFound`. */
  async read(request: RowPath): Promise<Stored<T>> {
    const { store, taxonomy } = this.#parts
    const id = await idOf(store, this.#kind, request.id, request.engine)
    const stored = id === undefined ? undefined : await store.get(this.#kind.collection, id)
    return requireFound(store, taxonomy, this.#kind, request, stored)
  }

  #within(request: object): Where<T> {
    const { engine, workspace } = placeIn(request)
    const { parent } = this.#kind
    const place: Where<Row> = {
      ...(workspace !== undefined && { workspace_id: workspace }),
      ...(engine !== undefined && { engine }),
      ...(parent && { [parent.member]: parameterOf(request, parent.parameter) }),
    }
    return sharedWhere(this.#kind.collection, place)
  }

  #parentIn(request: object): string | undefined {
    const { parent } = this.#kind
    return parent && parameterOf(request, parent.parameter)
  }
}
