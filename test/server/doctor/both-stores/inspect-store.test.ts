import { closeSync, openSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import type { Collection, Transaction } from '../../../../domain/ports/store.ts'
import { trees } from '../../../../domain/taxonomy/tree/nodes.ts'
import { rememberedKeys } from '../../../../server/operations/idempotency.ts'
import type { StoredOperation } from '../../../../server/operations/record.ts'
import { works, type Work } from '../../../../server/operations/work.ts'
import { storeCollections, storeFile } from '../../../../server/platform-store.ts'
import { leftStore, patch, remove, type BreakableStore } from '../../../domain/taxonomy/broken-store.ts'
import { testAreas } from '../../../domain/taxonomy/areas.ts'
import { postgresUrl } from '../../store/harness.ts'

const left = await leftStore()

const operations = collectionOf('taxonomy_operations')

function collectionOf(name: string): Collection<StoredOperation> {
  const found = testAreas().find(area => area.operations.name === name)
  if (found === undefined) throw new Error(`no area has ${name}`)
  return found.operations
}

/** Returns the id of the operation that archived the workspace `old`. */
const archiving = async (tx: Transaction): Promise<string> => {
  const operation = await tx.find(operations, { operation_type: 'TAXONOMY_OPERATION_TYPE_ARCHIVE' })
  return operation?.id ?? ''
}

const work = (changes: Partial<Work>): Work => ({
  id: 'x',
  kind: 'taxonomy.lifecycle',
  has_operation: false,
  input: {},
  scope: { type: 'GROUP', id: 'g' },
  principal_id: '',
  trace_id: '',
  lane: 'GROUP:g',
  step: 'begin',
  attempt: 1,
  state: 'QUEUED',
  insert_time: '2030-01-31T09:15:08.569Z',
  queue_time: '2030-01-31T09:15:08.569Z',
  run_after: '2030-01-31T09:15:08.569Z',
  lease_owner: '',
  fence: 0,
  ...changes,
})

interface Case {
  readonly name: string
  readonly breaks: (tx: Transaction) => Promise<unknown>
  readonly findings: readonly RegExp[]
}

const cases: readonly Case[] = [
  ...['PENDING', 'RUNNING'].map((state): Case => ({
    name: `an operation that is ${state} and has no work`,
    breaks: async tx => patch(tx, operations, await archiving(tx), { status: `TAXONOMY_OPERATION_STATUS_${state}` }),
    findings: [/^taxonomy\.operations \S+: is TAXONOMY_OPERATION_STATUS_\w+ and has no work that could end it/],
  })),
  {
    name: 'an operation whose work belongs to another area',
    breaks: async tx => {
      const id = await archiving(tx)
      await patch(tx, operations, id, { status: 'TAXONOMY_OPERATION_STATUS_RUNNING' })
      await tx.insert(works, work({ id, kind: 'depot.x', has_operation: true }))
    },
    findings: [/^taxonomy\.operations .* has no work/, /^ninefold\.work \S+: depot\.x has no operation/],
  },
  {
    name: 'work without its operation',
    breaks: tx => tx.insert(works, work({ has_operation: true })),
    findings: [/^ninefold\.work x: taxonomy\.lifecycle has no operation; it must be there until its work ends$/],
  },
  {
    name: 'work whose operation has ended',
    breaks: async tx => tx.insert(works, work({ id: await archiving(tx), has_operation: true })),
    findings: [
      /^ninefold\.work .* is left, and its operation is TAXONOMY_OPERATION_STATUS_DONE; the work must end with it$/,
    ],
  },
  {
    name: 'work of an area that is not there',
    breaks: tx => tx.insert(works, work({ kind: 'attic.sweep' })),
    findings: [/^ninefold\.work x: attic\.sweep is of no area that this version knows$/],
  },
  {
    name: 'work in the lane of another scope',
    breaks: tx => tx.insert(works, work({ lane: 'GROUP:other' })),
    findings: [/^ninefold\.work x: .* stands in lane "GROUP:other"; by its scope it must be "GROUP:g"$/],
  },
  {
    name: 'work leased without an owner, and work queued with an owner',
    breaks: async tx => {
      await tx.insert(works, work({ state: 'LEASED' }))
      await tx.insert(works, work({ id: 'y', lease_owner: 'somebody' }))
    },
    findings: [
      /^ninefold\.work x: .* is LEASED with the owner ""$/,
      /^ninefold\.work y: .* with the owner "somebody"$/,
    ],
  },
  {
    name: 'a remembered key of an operation that is gone',
    breaks: async tx => remove(tx, operations, await archiving(tx)),
    findings: [
      /^ninefold\.idempotencyKeys \S+: stands for operation \S+ in taxonomy_operations, which does not exist$/,
    ],
  },
  {
    name: 'a remembered key of a table that is not there',
    breaks: async tx => {
      const [key] = await keysIn(tx)
      if (key !== undefined) await patch(tx, rememberedKeys, key, { operations: 'attic_operations' })
    },
    findings: [/^ninefold\.idempotencyKeys \S+: stands for operation \S+ in attic_operations, which does not exist$/],
  },
]

async function keysIn(tx: Transaction): Promise<readonly string[]> {
  const keys: string[] = []
  for await (const { id } of tx.each(rememberedKeys)) keys.push(id)
  return keys
}

it.each(cases)('finds $name', async ({ breaks, findings }) => {
  const store = await left.copy()
  await store.change(breaks)
  expect(await store.findings()).toEqual(findings.map(pattern => expect.stringMatching(pattern)))
})

it.each<[string, string, string]>([
  ['another name', `UPDATE taxonomy_groups SET name = 'x' WHERE name = 'theirs'`, 'taxonomy_groups theirs'],
  ['another number', 'UPDATE taxonomy_quota_usages SET amount = 3', 'taxonomy_quota_usages compute.vcpus/web'],
  ['no time', `UPDATE taxonomy_workspaces SET create_time = NULL WHERE name = 'old'`, 'taxonomy_workspaces old'],
  ['another id', `UPDATE taxonomy_archivals SET _key = 'x'`, 'taxonomy_archivals x'],
  ['the empty id', `UPDATE taxonomy_archivals SET _key = ''`, "taxonomy_archivals ''"],
])('finds a row that holds %s', async (_name, statement, row) => {
  const store = await left.copy()
  await store.sql(statement)
  const message = 'has columns that are not what its document says; filters and look-ups go by the columns'
  expect(await store.findings()).toEqual([`${row}: ${message}`])
})

it.each<[string, string, string]>([
  ['no JSON', `_body = '{'`, 'it is no object in JSON'],
  ['no object', `_body = '[]'`, 'it is no object in JSON'],
  ['nothing', `_body = 'null'`, 'it is no object in JSON'],
  ['no id', `_body = '{}'`, 'it holds no text in "id"'],
  ['another id than a text', `_body = '{"id":7}'`, 'it holds no text in "id"'],
  [
    'a member of another type',
    `_body = replace(_body, '"parent_group_id":""', '"parent_group_id":7')`,
    'member "parent_group_id" holds no value of type STRING',
  ],
])('reports a document that is %s with its collection and key, and checks the others', async (_name, set, damage) => {
  const store = await left.copy()
  await store.sql(`UPDATE taxonomy_workspaces SET ${set} WHERE name = 'old'`)
  await store.change(tx => patch(tx, trees, left.names.other, { group_count: 5 }))
  const found = await store.findings()
  expect(found[0]).toBe(
    `taxonomy_workspaces old: has a damaged document: ${damage}; restore it from a backup; what follows is checked without it`,
  )
  expect(found.slice(1)).toContain('taxonomy.trees other: counts 5 groups; the organisation has 1')
  expect(found.join()).not.toContain('columns')
})

it('continues after a damaged document, whichever check reads it', async () => {
  const store = await left.copy()
  const broken: string[] = []
  await store.change(async tx => {
    for (const collection of storeCollections(testAreas())) {
      if ((await tx.count(collection)) > 0) broken.push(collection.name)
    }
  })
  for (const name of broken) {
    await store.sql(`UPDATE "${name}" SET _body = '{' WHERE _key = (SELECT min(_key) FROM "${name}")`)
  }
  const found = await store.findings()
  const damaged = found.filter(told => told.includes('damaged document'))
  expect(damaged.map(told => told.slice(0, told.indexOf(' ')))).toEqual(broken)
  expect(found.join()).not.toContain('could not be ended')
})

it.skipIf(postgresUrl() !== undefined)(
  'ends only the check of an area at a document without the members of this area',
  async () => {
    const store = await left.copy()
    await store.sql(`UPDATE taxonomy_organisations SET _body = json_remove(_body, '$.effective_state_source')`)
    await store.change(tx => tx.insert(works, work({ kind: 'attic.sweep' })))
    expect(await store.findings()).toEqual([
      expect.stringMatching(/^ninefold\.work x: /),
      expect.stringMatching(
        /^ninefold\.checks taxonomy: could not be ended: .*; a document lacks what taxonomy always/,
      ),
    ])
  },
)

it.skipIf(postgresUrl() !== undefined)('reports first that the file is damaged, and nothing else', async () => {
  const store = await left.copy()
  await store.sql(`UPDATE taxonomy_groups SET name = 'x'`)
  overwriteIndex(store)
  const [first, ...others] = await store.findings()
  expect(first).toMatch(/^ninefold\.store \/\S+\.sqlite: the file is damaged; restore the data folder from a backup/)
  expect(others).not.toEqual([])
  expect(others.filter(told => !/^ninefold\.store \/\S+\.sqlite: \S/.test(told))).toEqual([])
})

/** Writes zeros over the root page of an index. */
function overwriteIndex({ place }: BreakableStore): void {
  const file = storeFile(place.dataDir)
  const database = new DatabaseSync(file)
  const row = database.prepare(`SELECT rootpage FROM sqlite_schema WHERE name LIKE 'taxonomy_groups_index_%'`).get()
  const { page_size } = database.prepare('PRAGMA page_size').get() ?? {}
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  const size = Number(page_size)
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, Buffer.alloc(size), 0, size, (Number(row?.['rootpage']) - 1) * size)
  closeSync(descriptor)
}
