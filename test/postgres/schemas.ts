import { Client } from 'pg'
import type { Collection } from '../../domain/ports/store.ts'
import { predefinedRoles } from '../../domain/iam/roles/predefined-roles.ts'
import { layoutOf } from '../../server/store/layout.ts'
import { openPostgres } from '../../server/store/postgres.ts'
import { postgresDialect } from '../../server/store/postgres/dialect.ts'
import { withSchema } from './address.ts'

/** A schema with the tables of some collections, and the mark of its original state. */
interface Prepared {
  readonly name: string
  readonly shape: string
}

/** Gives a schema back; no test may use the schema afterwards. */
export type GiveBack = () => Promise<void>

/** The tables whose rows an opened store writes itself; the rows of all other tables belong to a test. */
export const keptTables: readonly string[] = [
  'ninefold_migrations',
  'ninefold_tables',
  'ninefold_generations',
  'ninefold_formats',
]

/** Returns texts as a list of SQL. */
const quoted = (texts: readonly string[]): string => texts.map(text => `'${text.replaceAll("'", "''")}'`).join()

/**
 * The conditions of rows that stay, keyed by table. The first start of a platform writes the permissions of the
 * predefined roles: more than a thousand rows that are always the same. A start compares the rows with its roles, so
 * that it writes none of them again.
 */
const keptRows: Readonly<Record<string, string>> = {
  iam_role_permissions: `role_id IN (${quoted(predefinedRoles.map(({ name }) => name))})`,
}

/**
 * The largest table that is emptied by DELETE, in bytes. TRUNCATE makes new files for a table and its indexes, and every
 * connection reads their descriptions again, which takes ten times longer for tables of a few rows. Deleted rows fill a
 * table up, and then it is truncated.
 */
const mostDeletedBytes = 65_536

/**
 * The schemas of one process that runs tests. PostgreSQL needs more time to create the tables of a platform than most
 * tests take, so used tables are emptied and reused.
 */
export class Schemas {
  readonly #url: string
  readonly #prefix: string
  readonly #free = new Map<string, Prepared[]>()
  #client: Promise<Client> | undefined
  #count = 0

  /** Makes a set of schemas whose names begin with `prefix`. */
  constructor(url: string, prefix: string) {
    this.#url = url
    this.#prefix = prefix
  }

  /** Creates a schema without tables; `giveBack` drops the schema. */
  async empty(): Promise<{ readonly name: string; readonly giveBack: GiveBack }> {
    const name = this.#newName()
    await this.#run(`CREATE SCHEMA ${name}`)
    return { name, giveBack: () => this.#drop(name) }
  }

  /** Returns a schema in the state after a store of the collections was opened and closed. */
  async prepared(
    collections: readonly Collection<never>[],
  ): Promise<{ readonly name: string; readonly giveBack: GiveBack }> {
    const key = JSON.stringify(
      collections.map(collection => {
        const { table, written, indexes } = layoutOf(collection, postgresDialect)
        return { table, written, indexes }
      }),
    )
    const free = this.#free.get(key) ?? []
    this.#free.set(key, free)
    const { name, shape } = free.pop() ?? (await this.#make(collections))
    return { name, giveBack: () => this.#giveBack(name, shape, free) }
  }

  async #make(collections: readonly Collection<never>[]): Promise<Prepared> {
    const { name } = await this.empty()
    const store = await openPostgres({ url: withSchema(this.#url, name), collections })
    await store.close()
    return { name, shape: await this.#shapeOf(name) }
  }

  /**
   * Empties a schema for further tests, or drops a schema whose tables have changed. The new name keeps connections
   * that are still open away from the schema.
   */
  async #giveBack(before: string, shape: string, free: Prepared[]): Promise<void> {
    const name = this.#newName()
    await this.#run(`ALTER SCHEMA ${before} RENAME TO ${name}`)
    if ((await this.#shapeOf(name)) !== shape) return this.#drop(name)
    const conditions = Object.entries(keptRows).map(
      ([table, kept]) => `WHEN ${quoted([table])} THEN ${quoted([` WHERE NOT (${kept})`])}`,
    )
    const statements = await this.#run(
      `SELECT CASE WHEN pg_relation_size(oid) <= ${mostDeletedBytes} OR relname IN (${quoted(Object.keys(keptRows))})
           THEN 'DELETE FROM ' ELSE 'TRUNCATE ' END ||
         '${name}.' || quote_ident(relname) || CASE relname ${conditions.join(' ')} ELSE '' END
         FROM pg_class WHERE relnamespace = '${name}'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0
           AND relname NOT IN (${quoted(keptTables)})`,
    )
    if (statements.length > 0) await this.#run(`DO $$ BEGIN ${statements.map(each => `${each};`).join(' ')} END $$`)
    free.push({ name, shape })
  }

  /**
   * Returns a mark of the schema's state. The mark changes if a table, an index, a column or a check is added or
   * removed, if a table gets its first trigger, and with every change that the store has recorded.
   */
  async #shapeOf(name: string): Promise<string> {
    const relations = `FROM pg_class c WHERE c.relnamespace = '${name}'::regnamespace`
    const shape = await this.#run(
      `SELECT concat_ws(' ',
         (SELECT string_agg(concat_ws(':', c.oid, c.relnatts, c.relchecks, c.relhastriggers), ',' ORDER BY c.oid) ${relations}),
         (SELECT count(*) FROM pg_attribute WHERE attisdropped AND attrelid IN (SELECT c.oid ${relations})),
         (SELECT string_agg(name || definition, ',' ORDER BY name) FROM ${name}.ninefold_tables),
         (SELECT string_agg(number::text, ',' ORDER BY number) FROM ${name}.ninefold_migrations),
         (SELECT string_agg(number::text, ',' ORDER BY number) FROM ${name}.ninefold_generations),
         (SELECT string_agg(number::text, ',' ORDER BY number) FROM ${name}.ninefold_formats))`,
    )
    return shape.join()
  }

  async #drop(name: string): Promise<void> {
    await this.#run(`DROP SCHEMA ${name} CASCADE`)
  }

  /**
   * Returns the first column of a statement's rows, on a connection that stays open, because connecting takes longer
   * than the statement.
   */
  async #run(sql: string): Promise<readonly string[]> {
    const client = await (this.#client ??= connected(this.#url))
    const { rows } = await client.query<[string]>({ text: sql, rowMode: 'array' })
    return rows.map(([text]) => text)
  }

  #newName(): string {
    this.#count += 1
    return `${this.#prefix}_${process.pid}_${this.#count}`
  }
}

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  await client.connect()
  return client
}
