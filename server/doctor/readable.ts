import type { Path } from '../../domain/ports/path.ts'
import type {
  Beside,
  Collection,
  PageOptions,
  Reader,
  Stored,
  StoredPage,
  Where,
  Witnessed,
} from '../../domain/ports/store.ts'
import type { ListQuery, Page } from '../../runtime/pagination.ts'
import type { StoreSnapshot } from '../store/snapshot.ts'

/**
 * A snapshot without the unreadable documents, so that an unreadable document does not hide other findings. `list`,
 * `count`, `exists`, `tally` and `sum` include unreadable documents, because they need no parsed document.
 */
export class ReadableRows implements Reader {
  readonly #snapshot: StoreSnapshot

  constructor(snapshot: StoreSnapshot) {
    this.#snapshot = snapshot
  }

  async get<T>(collection: Collection<T>, id: string): Promise<Stored<T> | undefined> {
    const stored = await this.#snapshot.get(collection, id)
    return stored && this.#isReadable(collection, stored) ? stored : undefined
  }

  async getWith<T, const Members extends readonly (keyof T & string)[] = readonly []>(
    collection: Collection<T>,
    id: string,
    beside: Beside<Members>,
  ): Promise<Witnessed<T, Members> | undefined> {
    const stored = await this.#snapshot.getWith(collection, id, beside)
    return stored && this.#isReadable(collection, stored) ? stored : undefined
  }

  async find<T>(collection: Collection<T>, where: Where<T>): Promise<Stored<T> | undefined> {
    for await (const stored of this.each(collection, where)) return stored
    return undefined
  }

  async *each<T>(
    collection: Collection<T>,
    where?: Where<T>,
    after?: string,
  ): AsyncGenerator<Stored<T>, void, undefined> {
    for await (const stored of this.#snapshot.each(collection, where, after)) {
      if (this.#isReadable(collection, stored)) yield stored
    }
  }

  async above<T>(collection: Collection<T>, parent: Path<T>, ids: readonly string[]): Promise<readonly Stored<T>[]> {
    const found = await this.#snapshot.above(collection, parent, ids)
    return found.filter(stored => this.#isReadable(collection, stored))
  }

  async below<T>(collection: Collection<T>, parent: Path<T>, ids: readonly string[]): Promise<readonly Stored<T>[]> {
    const found = await this.#snapshot.below(collection, parent, ids)
    return found.filter(stored => this.#isReadable(collection, stored))
  }

  async page<T, const Members extends readonly (keyof T & string)[] = readonly []>(
    collection: Collection<T>,
    query: ListQuery,
    where?: Where<T>,
    options?: PageOptions<Members>,
  ): Promise<StoredPage<T, Members>> {
    const { items, ...rest } = await this.#snapshot.page(collection, query, where, options)
    return { items: items.filter(stored => this.#isReadable(collection, stored)), ...rest }
  }

  list<T>(collection: Collection<T>, query: ListQuery, where?: Where<T>): Promise<Page<T>> {
    return this.#snapshot.list(collection, query, where)
  }

  count<T>(collection: Collection<T>, where?: Where<T>): Promise<number> {
    return this.#snapshot.count(collection, where)
  }

  exists<T>(collection: Collection<T>, where: Where<T>): Promise<boolean> {
    return this.#snapshot.exists(collection, where)
  }

  tally<T>(collection: Collection<T>, column: Path<T>, where?: Where<T>): Promise<ReadonlyMap<string, number>> {
    return this.#snapshot.tally(collection, column, where)
  }

  sum<T>(collection: Collection<T>, column: Path<T>, where?: Where<T>): Promise<number> {
    return this.#snapshot.sum(collection, column, where)
  }

  #isReadable(collection: { readonly name: string }, stored: Stored<unknown>): boolean {
    return this.#snapshot.isReadable(collection, stored)
  }
}
