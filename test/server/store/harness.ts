import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { inject, onTestFinished } from 'vitest'
import type { Collection } from '../../../domain/ports/store.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { ListFields } from '../../../runtime/filter/types.ts'
import type { ServerStore } from '../../../server/store/server-store.ts'
import { openPlace } from './place.ts'
import { memoryFolder } from '../../memory-folder.ts'
import { withSchema } from '../../postgres/address.ts'
import { Schemas } from '../../postgres/schemas.ts'

/** Makes a temporary folder; `later` removes the folder, by default after the running test. */
export function testFolder(later: Later = onTestFinished): string {
  const folder = mkdtempSync(join(memoryFolder, 'ninefold-test-'))
  later(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Returns the URL of the PostgreSQL server, or undefined when the tests run on SQLite. */
export function postgresUrl(): string | undefined {
  const postgres = inject('postgres')
  return postgres !== undefined && 'url' in postgres ? postgres.url : undefined
}

/** Registers a function that undoes an effect later, for example at the end of the test. */
export type Later = (undo: () => void | Promise<void>) => void

/**
 * Returns an empty place for a store of the kind that the tests run on: the URL of a schema, or the path of a file that
 * does not exist yet. `later` removes the place, by default after the running test.
 */
export async function testPlace(later: Later = onTestFinished): Promise<string> {
  return (await testSchema(later)) ?? join(testFolder(later), 'store.sqlite')
}

/**
 * Makes a place for a store of the collections, without rows. On PostgreSQL the tables of the collections exist; on
 * SQLite the file does not exist yet.
 */
export async function preparedPlace(
  collections: readonly Collection<never>[],
  later: Later = onTestFinished,
): Promise<string> {
  return (await testSchema(later, collections)) ?? join(testFolder(later), 'store.sqlite')
}

/**
 * Returns the setting of a server for a new place in PostgreSQL, or no setting on SQLite, the default of a server. The
 * place is empty, or, much faster, has the empty tables of `prepared`.
 */
export async function testStoreUrl(
  later: Later = onTestFinished,
  prepared?: readonly Collection<never>[],
): Promise<{ readonly storeUrl?: string }> {
  const storeUrl = await testSchema(later, prepared)
  return storeUrl === undefined ? {} : { storeUrl }
}

let schemas: Schemas | undefined

/**
 * Returns the URL of a borrowed schema in the test database, or undefined when the tests run on SQLite. A schema is
 * created a hundred times faster than a database.
 */
async function testSchema(later: Later, prepared?: readonly Collection<never>[]): Promise<string | undefined> {
  const postgres = inject('postgres')
  if (postgres === undefined || !('url' in postgres)) return undefined
  const { prefix, url } = postgres
  schemas ??= new Schemas(url, prefix)
  const { name, giveBack } = await (prepared === undefined ? schemas.empty() : schemas.prepared(prepared))
  later(giveBack)
  return withSchema(url, name)
}

/** Returns the name of the schema in a URL of `testPlace`; throws if the URL names no schema. */
export function schemaOf(url: string): string {
  const [, name] = /search_path=(\w+)/.exec(new URL(url).searchParams.get('options') ?? '') ?? []
  if (name === undefined) throw new Error('the address names no schema')
  return name
}

/** Runs a statement on a connection of its own. */
export async function statement(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** Opens a store in a new place; the store is closed after the running test. */
export async function testStore(...collections: readonly Collection<never>[]): Promise<ServerStore> {
  return storeAt(await preparedPlace(collections), ...collections)
}

/** Opens a store in a place, as a server would; the store is closed after the running test. */
export async function storeAt(place: string, ...collections: readonly Collection<never>[]): Promise<ServerStore> {
  return openUntil(onTestFinished, place, collections)
}

/** Opens a store in a place; `later` closes the store. */
export async function openUntil(
  later: Later,
  place: string,
  collections: readonly Collection<never>[],
): Promise<ServerStore> {
  const store = await openPlace(place, collections)
  later(() => store.close())
  return store
}

export interface Box {
  readonly id: string
  readonly name: string
  readonly parent?: string
  readonly size?: number
  readonly state?: 'STATE_UNSPECIFIED' | 'NEW' | 'OPEN' | 'DONE'
  readonly is_sealed?: boolean
  readonly create_time?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly tags?: readonly string[]
  readonly inner?: { readonly name?: string; readonly size?: number }
  readonly links?: readonly { readonly id: string }[]
}

const text = ['=', '!=', ':'] as const
const all = ['=', '!=', '<', '<=', '>', '>=', ':'] as const

/** The list fields of boxes, with a field of every type. */
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
  indexedMaps: ['labels'],
}
