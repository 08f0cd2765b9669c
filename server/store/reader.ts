import type { Path } from '../../domain/ports/path.ts'
import type {
  Beside,
  Collection,
  Listed,
  Narrowing,
  PageOptions,
  Reader,
  Stored,
  StoredPage,
  Where,
  Witness,
  Witnessed,
  WitnessedPage,
} from '../../domain/ports/store.ts'
import type { JsonText } from '../../runtime/json.ts'
import type { SortKey } from '../../runtime/filter/types.ts'
import type { ListQuery } from '../../runtime/pagination.ts'
import { ownColumns, textColumn } from './columns.ts'
import type { Connection, Eventually, SqlRow } from './connection.ts'
import { withDerived } from './derived-fields.ts'
import { all } from './keyset.ts'
import type { Layout } from './layout.ts'
import { columnNamed, sortKeysOf } from './order.ts'
import { equalities, select, selectOne, selectPage, type PageRequest } from './select.ts'
import { ListedText, shownText, storedOf, WitnessedText, witnessedBy } from './stored-text.ts'
import { selectTree } from './trees.ts'
import type { SqlCondition } from './condition.ts'

/** The layouts of the declared collections, keyed by name. */
export type Layouts = ReadonlyMap<string, Layout>

/** The number of rows that `each` reads at a time. */
const eachSize = 100

/** The reads of a store on one connection. */
export class StoreReader implements Reader {
  protected readonly connection: Connection
  /** Lets other work run between two pages of `each`, where reads block the thread and other work may run. */
  protected readonly betweenPages: (() => Promise<void>) | undefined = undefined
  readonly #layouts: Layouts

  constructor(connection: Connection, layouts: Layouts) {
    this.connection = connection
    this.#layouts = layouts
  }

  async get<T>(collection: Collection<T>, id: string): Promise<Stored<T> | undefined> {
    const layout = this.layoutOf(collection)
    const row = await this.connection.get(layout.get, [id])
    return row === undefined ? undefined : storedOf(layout, row)
  }

  async getWith<T, const Members extends readonly (keyof T & string)[] = readonly []>(
    collection: Collection<T>,
    id: string,
    { members, witness }: Beside<Members>,
  ): Promise<Witnessed<T, Members> | undefined> {
    const names: readonly string[] = members ?? []
    const versioned = witness && this.#versionOf(witness)
    const layout = this.layoutOf(collection)
    const sql = selectOne(layout, { members: names, witness: versioned })
    const row = await this.connection.get(sql, versioned ? [...versioned.parameters, id] : [id])
    return row && new WitnessedText<T, Members>(layout, row, names.length, witness ? witnessedBy(row) : undefined)
  }

  async find<T>(collection: Collection<T>, where: Where<T>): Promise<Stored<T> | undefined> {
    const layout = this.layoutOf(collection)
    return this.#first(layout, all(equalities(layout, where)))
  }

  async count<T>(collection: Collection<T>, where: Where<T> = {}): Promise<number> {
    const layout = this.layoutOf(collection)
    const { sql, parameters } = all(equalities(layout, where))
    const row = await this.connection.get(`SELECT count(*) FROM ${layout.table} WHERE ${sql}`, parameters)
    return Number(row?.[0])
  }

  async exists<T>(collection: Collection<T>, where: Where<T>): Promise<boolean> {
    const layout = this.layoutOf(collection)
    const { sql, parameters } = all(equalities(layout, where))
    return (await this.connection.get(`SELECT 1 FROM ${layout.table} WHERE ${sql} LIMIT 1`, parameters)) !== undefined
  }

  async tally<T>(
    collection: Collection<T>,
    column: Path<T>,
    where: Where<T> = {},
  ): Promise<ReadonlyMap<string, number>> {
    const layout = this.layoutOf(collection)
    const { sql: value } = textColumn(columnNamed(layout, column))
    const { sql, parameters } = all(equalities(layout, where))
    const select = `SELECT ${value}, count(*) FROM ${layout.table} WHERE ${sql} GROUP BY ${value}`
    const counts = new Map<string, number>()
    for (const [found, count] of await this.connection.all(select, parameters)) {
      const text = String(found ?? '')
      counts.set(text, (counts.get(text) ?? 0) + Number(count))
    }
    return counts
  }

  async sum<T>(collection: Collection<T>, column: Path<T>, where: Where<T> = {}): Promise<number> {
    const layout = this.layoutOf(collection)
    const { type, sql: summed } = columnNamed(layout, column)
    if (type !== 'INTEGER') throw new Error(`column "${column}" of "${collection.name}" holds no integers to sum`)
    const { sql, parameters } = all(equalities(layout, where))
    const select = `SELECT coalesce(sum(${summed}), 0) FROM ${layout.table} WHERE ${sql}`
    return Number((await this.connection.get(select, parameters))?.[0])
  }

  async *each<T>(
    collection: Collection<T>,
    where: Where<T> = {},
    after = '',
  ): AsyncGenerator<Stored<T>, void, undefined> {
    let last = after
    for (;;) {
      const layout = this.layoutOf(collection)
      const rest = { sql: `${ownColumns.key} > ?`, parameters: [last] }
      const rows = await this.#rows(select(layout, all([...equalities(layout, where), rest]), eachSize))
      yield* rows.map(row => storedOf<T>(layout, row))
      if (rows.length < eachSize) return
      last = String(rows[rows.length - 1]?.[0])
      await this.betweenPages?.()
    }
  }

  list<T>(
    collection: Collection<T>,
    query: ListQuery,
    where: Narrowing<T> = {},
    { witness }: Pick<Beside<never>, 'witness'> = {},
  ): Promise<WitnessedPage<T>> {
    const itemOf = (layout: Layout, [body]: SqlRow): JsonText<T> => shownText<T>(layout, String(body))
    return this.#page(collection, query, where, { isBodyOnly: true, witness }, itemOf)
  }

  page<T, const Members extends readonly (keyof T & string)[] = readonly []>(
    collection: Collection<T>,
    query: ListQuery,
    where: Narrowing<T> = {},
    options: PageOptions<Members> = {},
  ): Promise<StoredPage<T, Members>> {
    const count = options.members?.length ?? 0
    const itemOf = (layout: Layout, row: SqlRow): Listed<T, Members> => new ListedText<T, Members>(layout, row, count)
    return this.#page(collection, query, where, options, itemOf)
  }

  async above<T>(collection: Collection<T>, parent: Path<T>, ids: readonly string[]): Promise<readonly Stored<T>[]> {
    return this.#tree(collection, parent, ids, 'above')
  }

  async below<T>(collection: Collection<T>, parent: Path<T>, ids: readonly string[]): Promise<readonly Stored<T>[]> {
    return this.#tree(collection, parent, ids, 'below')
  }

  protected layoutOf(collection: { readonly name: string }): Layout {
    const layout = this.#layouts.get(collection.name)
    if (layout === undefined) throw new Error(`collection "${collection.name}" was not declared to the store`)
    return layout
  }

  #versionOf({ collection, id }: Witness): SqlCondition {
    return { sql: this.layoutOf(collection).versionOf, parameters: [id] }
  }

  async #first<T>(layout: Layout, condition: SqlCondition): Promise<Stored<T> | undefined> {
    const [row] = await this.#rows(select(layout, condition, 1))
    return row === undefined ? undefined : storedOf(layout, row)
  }

  #rows({ sql, parameters }: SqlCondition): Eventually<readonly SqlRow[]> {
    return this.connection.all(sql, parameters)
  }

  async #tree<T>(
    collection: Collection<T>,
    parent: Path<T>,
    ids: readonly string[],
    direction: 'above' | 'below',
  ): Promise<readonly Stored<T>[]> {
    if (ids.length === 0) return []
    const layout = this.layoutOf(collection)
    const { sql, parameters } = selectTree(layout, parent, direction, ids)
    return (await this.connection.all(sql, parameters)).map(row => storedOf<T>(layout, row))
  }

  /** Returns a page of rows. One further row is read, which shows whether there is a next page. */
  async #page<Item>(
    collection: { readonly name: string },
    query: ListQuery,
    where: Narrowing,
    { derived, isBodyOnly = false, members = [], witness }: Reading,
    itemOf: (layout: Layout, row: SqlRow) => Item,
  ): Promise<PageOf<Item>> {
    const layout = this.layoutOf(collection)
    const versioned = witness && this.#versionOf(witness)
    let rows: readonly SqlRow[] = []
    let witnessed: number | undefined
    let isFirst = true
    for (const statement of selectPage(layout, { query, where, derived, members, isBodyOnly, witness: versioned })) {
      const more = await this.#rows(statement)
      const version = witness && witnessedBy(more[0])
      // Different statements may have seen different moments.
      witnessed = isFirst || version === witnessed ? version : undefined
      rows = isFirst ? more : [...rows, ...more]
      isFirst = false
      if (rows.length > query.size) break
    }
    const items: Item[] = []
    for (const row of rows) if (items.length < query.size) items.push(itemOf(layout, row))
    const last = rows[query.size - 1]
    if (rows.length <= query.size || last === undefined) return { items, witnessed }
    const document: object = JSON.parse(String(last[members.length + (isBodyOnly ? 0 : 2)]))
    const fields = derived ? withDerived(layout, document, derived) : document
    return { items, next: sortKeysOf(layout, query.order, document, fields), witnessed }
  }
}

/** The options of a page; with `isBodyOnly`, its rows have no key and no version. */
type Reading = PageOptions<readonly string[]> & Pick<PageRequest, 'isBodyOnly'>

interface PageOf<Item> {
  readonly items: readonly Item[]
  readonly next?: readonly SortKey[]
  readonly witnessed: number | undefined
}
