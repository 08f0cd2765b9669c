import type {
  Beside,
  Collection,
  Narrowing,
  PageOptions,
  Reader,
  Stored,
  StoredPage,
  Where,
  Witness,
  Witnessed,
} from '../../domain/ports/store.ts'
import { JsonText } from '../../runtime/json.ts'
import { sortKeys } from '../../runtime/ordering.ts'
import type { SortKey } from '../../runtime/filter/types.ts'
import type { ListQuery, Page } from '../../runtime/pagination.ts'
import { ownColumns, textColumn } from './columns.ts'
import type { Connection, Eventually, Row } from './connection.ts'
import { withDerived } from './derived.ts'
import { all, type Condition } from './keyset.ts'
import type { Layout } from './layout.ts'
import { columnNamed } from './order.ts'
import { equalities, select, selectOne, selectPage } from './select.ts'
import { ListedText, storedOf, WitnessedText, witnessedBy } from './stored-text.ts'
import { selectTree } from './trees.ts'

/** The layouts of the declared collections by name. */
export type Layouts = ReadonlyMap<string, Layout>

/** Rows that `each` reads at a time. */
const eachSize = 100

/** The reading half of a store on one connection. */
export class StoreReader implements Reader {
  protected readonly connection: Connection
  readonly #layouts: Layouts

  constructor(connection: Connection, layouts: Layouts) {
    this.connection = connection
    this.#layouts = layouts
  }

  async get<T>(collection: Collection<T>, id: string): Promise<Stored<T> | undefined> {
    const row = await this.connection.get(this.layoutOf(collection).get, [id])
    return row === undefined ? undefined : storedOf(row)
  }

  async getWith<T, const Members extends readonly (keyof T & string)[] = readonly []>(
    collection: Collection<T>,
    id: string,
    { members, witness }: Beside<Members>,
  ): Promise<Witnessed<T, Members> | undefined> {
    const names: readonly string[] = members ?? []
    const versioned = witness && this.#versionOf(witness)
    const sql = selectOne(this.layoutOf(collection), { members: names, witness: versioned })
    const row = await this.connection.get(sql, versioned ? [...versioned.parameters, id] : [id])
    return row && new WitnessedText<T, Members>(row, names.length, witness ? witnessedBy(row) : undefined)
  }

  async find<T>(collection: Collection<T>, where: Where): Promise<Stored<T> | undefined> {
    const layout = this.layoutOf(collection)
    return this.#first(layout, all(equalities(layout, where)))
  }

  async count<T>(collection: Collection<T>, where: Where = {}): Promise<number> {
    const layout = this.layoutOf(collection)
    const { sql, parameters } = all(equalities(layout, where))
    const row = await this.connection.get(`SELECT count(*) FROM ${layout.table} WHERE ${sql}`, parameters)
    return Number(row?.[0])
  }

  async exists<T>(collection: Collection<T>, where: Where): Promise<boolean> {
    const layout = this.layoutOf(collection)
    const { sql, parameters } = all(equalities(layout, where))
    return (await this.connection.get(`SELECT 1 FROM ${layout.table} WHERE ${sql} LIMIT 1`, parameters)) !== undefined
  }

  async tally<T>(collection: Collection<T>, column: string, where: Where = {}): Promise<ReadonlyMap<string, number>> {
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

  async sum<T>(collection: Collection<T>, column: string, where: Where = {}): Promise<number> {
    const layout = this.layoutOf(collection)
    const { type, sql: summed } = columnNamed(layout, column)
    if (type !== 'INTEGER') throw new Error(`column "${column}" of "${collection.name}" holds no integers to sum`)
    const { sql, parameters } = all(equalities(layout, where))
    const select = `SELECT coalesce(sum(${summed}), 0) FROM ${layout.table} WHERE ${sql}`
    return Number((await this.connection.get(select, parameters))?.[0])
  }

  async *each<T>(collection: Collection<T>, where: Where = {}, after = ''): AsyncGenerator<Stored<T>, void, undefined> {
    let last = after
    for (;;) {
      const layout = this.layoutOf(collection)
      const rest = { sql: `${ownColumns.key} > ?`, parameters: [last] }
      const rows = await this.#rows(select(layout, all([...equalities(layout, where), rest]), eachSize))
      yield* rows.map(row => storedOf<T>(row))
      if (rows.length < eachSize) return
      last = String(rows[rows.length - 1]?.[0])
    }
  }

  list<T>(collection: Collection<T>, query: ListQuery, where: Narrowing = {}): Promise<Page<T>> {
    return this.#page(collection, query, where, {}, ([, , text]) => new JsonText<T>(String(text)))
  }

  page<T, const Members extends readonly (keyof T & string)[] = readonly []>(
    collection: Collection<T>,
    query: ListQuery,
    where: Narrowing = {},
    options: PageOptions<Members> = {},
  ): Promise<StoredPage<T, Members>> {
    const count = options.members?.length ?? 0
    return this.#page(collection, query, where, options, row => new ListedText<T, Members>(row, count))
  }

  async above<T>(collection: Collection<T>, parent: string, ids: readonly string[]): Promise<readonly Stored<T>[]> {
    return this.#tree(collection, parent, ids, 'above')
  }

  async below<T>(collection: Collection<T>, parent: string, ids: readonly string[]): Promise<readonly Stored<T>[]> {
    return this.#tree(collection, parent, ids, 'below')
  }

  protected layoutOf(collection: { readonly name: string }): Layout {
    const layout = this.#layouts.get(collection.name)
    if (layout === undefined) throw new Error(`collection "${collection.name}" was not declared to the store`)
    return layout
  }

  #versionOf({ collection, id }: Witness): Condition {
    return { sql: this.layoutOf(collection).versionOf, parameters: [id] }
  }

  async #first<T>(layout: Layout, condition: Condition): Promise<Stored<T> | undefined> {
    const [row] = await this.#rows(select(layout, condition, 1))
    return row === undefined ? undefined : storedOf(row)
  }

  #rows({ sql, parameters }: Condition): Eventually<readonly Row[]> {
    return this.connection.all(sql, parameters)
  }

  async #tree<T>(
    collection: Collection<T>,
    parent: string,
    ids: readonly string[],
    direction: 'above' | 'below',
  ): Promise<readonly Stored<T>[]> {
    if (ids.length === 0) return []
    const { sql, parameters } = selectTree(this.layoutOf(collection), parent, direction, ids)
    return (await this.connection.all(sql, parameters)).map(row => storedOf<T>(row))
  }

  /** One row is read ahead: only when there is one, the page has a next one. */
  async #page<Item>(
    collection: { readonly name: string },
    query: ListQuery,
    where: Narrowing,
    { derived, members = [], witness }: PageOptions<readonly string[]>,
    itemOf: (row: Row) => Item,
  ): Promise<PageOf<Item>> {
    const layout = this.layoutOf(collection)
    const versioned = witness && this.#versionOf(witness)
    let rows: readonly Row[] = []
    let witnessed: number | undefined
    let isFirst = true
    for (const statement of selectPage(layout, { query, where, derived, members, witness: versioned })) {
      const more = await this.#rows(statement)
      const version = witness && witnessedBy(more[0])
      // Statements that differ saw different moments.
      witnessed = isFirst || version === witnessed ? version : undefined
      rows = isFirst ? more : [...rows, ...more]
      isFirst = false
      if (rows.length > query.size) break
    }
    const items: Item[] = []
    for (const row of rows) if (items.length < query.size) items.push(itemOf(row))
    const last = rows[query.size - 1]
    if (rows.length <= query.size || last === undefined) return { items, witnessed }
    const document: object = JSON.parse(String(last[members.length + 2]))
    const fields = derived ? withDerived(layout, document, derived) : document
    return { items, next: sortKeys(query.order, fields), witnessed }
  }
}

interface PageOf<Item> {
  readonly items: readonly Item[]
  readonly next?: readonly SortKey[]
  readonly witnessed: number | undefined
}
