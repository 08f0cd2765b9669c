import type { Collection, Reader, Stored, StoredPage, Where } from '../../domain/ports/store.ts'
import { JsonText } from '../../runtime/json.ts'
import { sortKeys } from '../../runtime/ordering.ts'
import type { SortKey } from '../../runtime/filter/types.ts'
import type { ListQuery, Page } from '../../runtime/pagination.ts'
import { ownColumns } from './columns.ts'
import type { Connection, Row } from './connection.ts'
import { all, type Condition } from './keyset.ts'
import type { Layout } from './layout.ts'
import { columnNamed } from './order.ts'
import { equalities, select, selectPage } from './select.ts'

/** The layouts of the declared collections by name. */
export type Layouts = ReadonlyMap<string, Layout>

/** Rows that `each` reads at a time. */
const eachSize = 100

/** A document as a connection read or wrote it; its text is parsed when `value` is first read. */
export class StoredText<T> implements Stored<T> {
  readonly id: string
  readonly version: number
  readonly text: JsonText<T>
  #value: { readonly parsed: T } | undefined

  constructor(id: string, version: number, text: string) {
    this.id = id
    this.version = version
    this.text = new JsonText<T>(text)
  }

  get value(): T {
    this.#value ??= { parsed: JSON.parse(this.text.text) }
    return this.#value.parsed
  }
}

/** The reading half of a store on one connection. */
export class SqliteReader implements Reader {
  protected readonly connection: Connection
  readonly #layouts: Layouts

  constructor(connection: Connection, layouts: Layouts) {
    this.connection = connection
    this.#layouts = layouts
  }

  async get<T>(collection: Collection<T>, id: string): Promise<Stored<T> | undefined> {
    const row = this.connection.get(this.layoutOf(collection).get, [id])
    return row === undefined ? undefined : storedOf(row)
  }

  async find<T>(collection: Collection<T>, where: Where): Promise<Stored<T> | undefined> {
    const layout = this.layoutOf(collection)
    return this.#first(layout, all(equalities(layout, where)))
  }

  async count<T>(collection: Collection<T>, where: Where = {}): Promise<number> {
    const layout = this.layoutOf(collection)
    const { sql, parameters } = all(equalities(layout, where))
    const row = this.connection.get(`SELECT count(*) FROM ${layout.table} WHERE ${sql}`, parameters)
    return Number(row?.[0])
  }

  async sum<T>(collection: Collection<T>, column: string, where: Where = {}): Promise<number> {
    const layout = this.layoutOf(collection)
    const { type, sql: summed } = columnNamed(layout, column)
    if (type !== 'INTEGER') throw new Error(`column "${column}" of "${collection.name}" holds no integers to sum`)
    const { sql, parameters } = all(equalities(layout, where))
    const select = `SELECT coalesce(sum(${summed}), 0) FROM ${layout.table} WHERE ${sql}`
    return Number(this.connection.get(select, parameters)?.[0])
  }

  async *each<T>(collection: Collection<T>, where: Where = {}): AsyncGenerator<Stored<T>, void, undefined> {
    let last = ''
    for (;;) {
      const layout = this.layoutOf(collection)
      const rest = { sql: `${ownColumns.key} > ?`, parameters: [last] }
      const rows = this.#rows(select(layout, all([...equalities(layout, where), rest])), eachSize)
      yield* rows.map(row => storedOf<T>(row))
      if (rows.length < eachSize) return
      last = String(rows[rows.length - 1]?.[0])
    }
  }

  async list<T>(collection: Collection<T>, query: ListQuery, where: Where = {}): Promise<Page<T>> {
    const { rows, ...rest } = this.#page(this.layoutOf(collection), query, where)
    return { items: rows.map(([, , text]) => new JsonText<T>(String(text))), ...rest }
  }

  async page<T>(collection: Collection<T>, query: ListQuery, where: Where = {}): Promise<StoredPage<T>> {
    const { rows, ...rest } = this.#page(this.layoutOf(collection), query, where)
    return { items: rows.map(row => storedOf<T>(row)), ...rest }
  }

  protected layoutOf(collection: { readonly name: string }): Layout {
    const layout = this.#layouts.get(collection.name)
    if (layout === undefined) throw new Error(`collection "${collection.name}" was not declared to the store`)
    return layout
  }

  #first<T>(layout: Layout, condition: Condition): Stored<T> | undefined {
    const [row] = this.#rows(select(layout, condition), 1)
    return row === undefined ? undefined : storedOf(row)
  }

  #rows({ sql, parameters }: Condition, limit: number): Row[] {
    return this.connection.all(sql, [...parameters, limit])
  }

  /** One row is read ahead: only when there is one, the page has a next one. */
  #page(layout: Layout, query: ListQuery, where: Where): { rows: readonly Row[]; next?: readonly SortKey[] } {
    const rows: Row[] = []
    for (const statement of selectPage(layout, query, where)) {
      rows.push(...this.#rows(statement, query.size + 1 - rows.length))
      if (rows.length > query.size) break
    }
    const last = rows[query.size - 1]
    if (rows.length <= query.size || last === undefined) return { rows }
    return { rows: rows.slice(0, query.size), next: sortKeys(query.order, JSON.parse(String(last[2]))) }
  }
}

/** Of a row that `select` reads. */
function storedOf<T>([key, version, text]: Row): Stored<T> {
  return new StoredText<T>(String(key), Number(version), String(text))
}
