import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Collection } from '../../../../domain/ports/store.ts'
import { layoutOf, type Layout } from '../../../../server/store/layout.ts'
import { openSqlite } from '../../../../server/store/sqlite.ts'
import { sqliteDialect } from '../../../../server/store/sqlite/dialect.ts'
import { testFolder } from '../harness.ts'
import type { SqlCondition } from '../../../../server/store/condition.ts'

/** A step of a plan, with the id of its parent step. */
export interface PlanStep {
  readonly id: number
  readonly parent: number
  readonly detail: string
}

/** Returns SQLite's plans of some statements over a collection, in a new store. */
export async function explain(
  collection: Collection<never>,
  statements: (layout: Layout) => Iterable<SqlCondition>,
): Promise<readonly (readonly PlanStep[])[]> {
  const file = join(testFolder(), 'store.sqlite')
  const store = await openSqlite({ file, collections: [collection] })
  await store.close()
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return [...statements(layoutOf(collection, sqliteDialect))].map(({ parameters, sql }) =>
      database
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...parameters)
        .map(({ id, parent, detail }) => ({ id: Number(id), parent: Number(parent), detail: String(detail) })),
    )
  } finally {
    database.close()
  }
}
