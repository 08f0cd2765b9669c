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

/** A folder of its own, by default removed after the running test. */
export function testFolder(later: Later = onTestFinished): string {
  const folder = mkdtempSync(join(memoryFolder, 'ninefold-test-'))
  later(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The server of PostgreSQL when the tests run on it, else undefined: then they run on SQLite. */
export function postgresUrl(): string | undefined {
  const postgres = inject('postgres')
  return postgres !== undefined && 'url' in postgres ? postgres.url : undefined
}

/** Undoes something later. */
export type Later = (undo: () => void | Promise<void>) => void

/** An empty place for a store of the kind that the tests run on; by default removed after the running test. */
export async function testPlace(later: Later = onTestFinished): Promise<string> {
  const url = postgresUrl()
  return url === undefined ? join(testFolder(later), 'store.sqlite') : testSchema(url, later)
}

/** The setting that has a server use a place of PostgreSQL; SQLite is what it uses by itself. */
export async function testStoreUrl(later: Later = onTestFinished): Promise<{ readonly storeUrl?: string }> {
  return postgresUrl() === undefined ? {} : { storeUrl: await testPlace(later) }
}

let schemas = 0

/** An empty schema of a database, as an address: made a hundred times faster than a database of its own. */
async function testSchema(url: string, later: Later): Promise<string> {
  const name = `ninefold_test_${process.pid}_${(schemas += 1)}`
  await statement(url, `CREATE SCHEMA ${name}`)
  later(() => statement(url, `DROP SCHEMA ${name} CASCADE`))
  return withOptions(url, `-c search_path=${name}`)
}

/** The schema that an address of `testPlace` names. */
export function schemaOf(url: string): string {
  const [, name] = /search_path=(\w+)/.exec(new URL(url).searchParams.get('options') ?? '') ?? []
  if (name === undefined) throw new Error('the address names no schema')
  return name
}

/** The address with further settings of its connections. */
export function withOptions(url: string, options: string): string {
  const changed = new URL(url)
  const before = changed.searchParams.get('options')
  changed.searchParams.set('options', before === null ? options : `${before} ${options}`)
  return changed.href
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

/** A store in a place of its own, closed after the running test. */
export async function testStore(...collections: readonly Collection<never>[]): Promise<ServerStore> {
  return storeAt(await testPlace(), ...collections)
}

/** Another store in a place, as another server would open it; closed after the running test. */
export async function storeAt(place: string, ...collections: readonly Collection<never>[]): Promise<ServerStore> {
  return openUntil(onTestFinished, place, collections)
}

/** A store in a place, which is closed `later`. */
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
