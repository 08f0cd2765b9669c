import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import type { Collection } from '../../../domain/ports/store.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { ListFields } from '../../../runtime/filter/types.ts'
import type { Condition } from '../../../server/store/keyset.ts'
import { layoutOf, type Layout } from '../../../server/store/layout.ts'
import { openSqlite, type SqliteStore } from '../../../server/store/sqlite.ts'

/** A folder of its own for the running test, removed after it. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A store in a folder of its own, closed after the running test. */
export async function testStore(...collections: readonly Collection<never>[]): Promise<SqliteStore> {
  const store = await openSqlite({ file: join(testFolder(), 'store.sqlite'), collections })
  onTestFinished(() => store.close())
  return store
}

/** A step of a plan, and the step that it belongs to. */
export interface PlanStep {
  readonly id: number
  readonly parent: number
  readonly detail: string
}

/** How SQLite would run statements over a collection, in a store of its own. */
export async function explain(
  collection: Collection<never>,
  statements: (layout: Layout) => Iterable<Condition>,
): Promise<readonly (readonly PlanStep[])[]> {
  const file = join(testFolder(), 'store.sqlite')
  const store = await openSqlite({ file, collections: [collection] })
  await store.close()
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return [...statements(layoutOf(collection))].map(({ parameters, sql }) =>
      database
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...parameters)
        .map(({ id, parent, detail }) => ({ id: Number(id), parent: Number(parent), detail: String(detail) })),
    )
  } finally {
    database.close()
  }
}

export interface Box {
  readonly id: string
  readonly name: string
  readonly parent?: string
  readonly size?: number
  readonly state?: 'NEW' | 'OPEN' | 'DONE'
  readonly is_sealed?: boolean
  readonly create_time?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly tags?: readonly string[]
  readonly inner?: { readonly name?: string; readonly size?: number }
  readonly links?: readonly { readonly id: string }[]
}

const text = ['=', '!=', ':'] as const
const all = ['=', '!=', '<', '<=', '>', '>=', ':'] as const

/** A field of every type that lists have. */
export const boxFields: ListFields = {
  resource: 'boxes',
  fields: [
    { name: 'name', type: 'STRING', operators: all, sortable: true },
    { name: 'size', type: 'INTEGER', operators: all, sortable: true },
    { name: 'state', type: 'ENUM', operators: text, sortable: true, enumValues: ['NEW', 'OPEN', 'DONE'] },
    { name: 'is_sealed', type: 'BOOLEAN', operators: text, sortable: true },
    { name: 'create_time', type: 'TIMESTAMP', operators: all, sortable: true },
    { name: 'inner.name', type: 'STRING', operators: all, sortable: true },
    { name: 'inner.size', type: 'INTEGER', operators: all, sortable: true },
    { name: 'labels', type: 'MAP', operators: all },
    { name: 'tags', type: 'STRING', list: true, operators: [':'] },
    { name: 'links.id', type: 'STRING', list: true, operators: [':'] },
    { name: 'linked', path: 'links.id', type: 'STRING', list: true, operators: [':'] },
    { name: 'title', path: 'inner.name', type: 'STRING', operators: all, sortable: true },
    { name: 'inner', type: 'PRESENCE', operators: [':'] },
  ],
  defaultOrder: 'create_time desc',
  key: 'id',
}

export const nameTaken = (box: Box): ApiError =>
  new ApiError({ reason: 'BOX_ALREADY_EXISTS', rpc: 'ALREADY_EXISTS' }, `box "${box.name}" exists`)

export const boxes: Collection<Box> = {
  name: 'test_boxes',
  id: 'id',
  list: boxFields,
  columns: { parent: 'STRING' },
  uniques: [{ fields: ['parent', 'name'], taken: nameTaken }],
  indexes: [['parent', 'create_time']],
}
