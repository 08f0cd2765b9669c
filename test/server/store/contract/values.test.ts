import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Collection, Derived } from '../../../../domain/ports/store.ts'
import { compareText } from '../../../../runtime/filter/fields.ts'
import type { Filter, ListFields, SortKey } from '../../../../runtime/filter/types.ts'
import { checkOrder } from '../../../../runtime/ordering.ts'
import type { ListQuery } from '../../../../runtime/pagination.ts'
import type { ServerStore } from '../../../../server/store/server-store.ts'
import { boxes, boxFields, testStore, type Box } from '../harness.ts'

const collection: Collection<Box> = { ...boxes, uniques: [] }

async function filled(documents: readonly Box[]): Promise<ServerStore> {
  const store = await testStore(collection)
  await store.tx(async tx => {
    for (const document of documents) await tx.insert(collection, document)
  })
  return store
}

const query = (more: Partial<ListQuery> = {}): ListQuery => ({
  size: 1000,
  filter: undefined,
  order: checkOrder(undefined, boxFields),
  after: undefined,
  now: 0,
  ...more,
})

/** Returns the ids of a list, read in pages of `size`. */
async function walk(store: ServerStore, order: string, size: number): Promise<string[]> {
  const ids: string[] = []
  let after: readonly SortKey[] | undefined
  do {
    const page = await store.page(collection, query({ order: checkOrder(order, boxFields), size, after }))
    ids.push(...page.items.map(({ id }) => id))
    after = page.next
  } while (after !== undefined)
  return ids
}

/**
 * Generates a character near a limit of ASCII, of UTF-16 or of PostgreSQL, or with a special meaning in SQL or JSON.
 */
const character = fc.constantFrom(
  ...'\u0000\u0001\u0002\u0003\u0004\u001f a~\u007f\u0080\ud7ff\ue000\uff5e\uffff\u{10000}\u{1f600}\u{10ffff}%_\\"\'{},',
)
const texts = fc.string({ unit: character, maxLength: 5 })

describe('texts', () => {
  it('sort by code point, as names and as ids, with any characters', async () => {
    const names = fc.sample(texts, { seed: 7, numRuns: 200 })
    const ids = [...new Set(fc.sample(texts, { seed: 8, numRuns: 300 }))].filter(id => id !== '' && !id.includes('\0'))
    const documents = ids.map((id, i) => ({ id, name: names[i % names.length] ?? '' }))
    const store = await filled(documents)
    const byId = documents.map(({ id }) => id).sort(compareText)
    const byName = [...documents].sort((a, b) => compareText(a.name, b.name) || compareText(a.id, b.id))
    const read: string[] = []
    for await (const { id } of store.each(collection)) read.push(id)
    expect(read).toEqual(byId)
    expect(await walk(store, 'name', 7)).toEqual(byName.map(({ id }) => id))
  })

  it('with U+0000 are found, counted and returned unchanged', async () => {
    const document: Box = {
      id: 'a\u0001\u0002\u0003',
      name: 'a\u0000b\u0001',
      labels: { 'k\u0000': '\u0001\u0000' },
      tags: ['\u0000', '\\u0000'],
      inner: { name: '\u0000' },
    }
    const store = await filled([document, { id: 'b', name: 'a\u0002b' }])
    const found = await store.find(collection, { name: 'a\u0000b\u0001' })
    expect(found?.id).toBe(document.id)
    expect(found?.text.text).toBe(JSON.stringify(document))
    expect((await store.get(collection, document.id))?.value).toEqual(document)
    expect(await store.tally(collection, 'name')).toEqual(
      new Map([
        ['a\u0000b\u0001', 1],
        ['a\u0002b', 1],
      ]),
    )
    const label = boxFields.fields.find(({ name }) => name === 'labels') ?? boxFields.fields[0]
    if (label === undefined) throw new Error('boxes have no labels')
    const filter: Filter = { kind: 'compare', field: label, key: 'k\u0000', operator: '=', value: '\u0001\u0000' }
    expect((await store.page(collection, query({ filter }))).items.map(({ id }) => id)).toEqual([document.id])
  })

  it('with half a surrogate pair are stored, and returned unchanged', async () => {
    const document: Box = { id: 'a', name: 'x', labels: { a: '\ud800' }, tags: ['\udc00'] }
    const store = await filled([document])
    expect((await store.get(collection, 'a'))?.value).toEqual(document)
  })
})

describe('numbers and times', () => {
  const big: Collection<{ readonly id: string; readonly size: string | number }> = {
    name: 'test_numbers',
    id: 'id',
    columns: { size: 'INTEGER' },
  }

  it('of 64 bits are exact', async () => {
    const store = await testStore(big)
    const sizes = ['9223372036854775807', '9223372036854775806', '-9223372036854775808', 9007199254740991]
    await store.tx(async tx => {
      for (const [i, size] of sizes.entries()) await tx.insert(big, { id: `n${i}`, size })
    })
    for (const [i, size] of sizes.entries()) expect((await store.find(big, { size }))?.id).toBe(`n${i}`)
    await expect(store.tx(tx => tx.insert(big, { id: 'x', size: '9223372036854775808' }))).rejects.toThrow(TypeError)
  })

  it('to the nanosecond are distinct and sorted', async () => {
    const times = ['2026-01-01T00:00:00.000000002Z', '2026-01-01T01:00:00.000000001+01:00', '2026-01-01T00:00:00Z']
    const store = await filled(times.map((create_time, i) => ({ id: `t${i}`, name: 'x', create_time })))
    expect(await walk(store, 'create_time', 1)).toEqual(['t2', 't1', 't0'])
    expect((await store.find(collection, { create_time: '2025-12-31T23:00:00.000000001-01:00' }))?.id).toBe('t1')
  })
})

it('a document of a mebibyte is stored, found by its members, and returned unchanged', async () => {
  const text = 'größer "\\" \u0000 '.repeat(80_000)
  const document: Box = { id: 'a', name: 'x', inner: { name: 'big' }, labels: { big: text }, tags: [text] }
  expect(Buffer.byteLength(JSON.stringify(document))).toBeGreaterThan(1024 * 1024)
  const store = await filled([document])
  const tags = boxFields.fields.find(({ name }) => name === 'tags') ?? boxFields.fields[0]
  if (tags === undefined) throw new Error('boxes have no tags')
  const filter: Filter = { kind: 'like', field: tags, pieces: ['größer', '\u0000 '], negated: false }
  const { items } = await store.page(collection, query({ filter }))
  expect(items.map(item => item.text.text)).toEqual([JSON.stringify(document)])
})

describe('fields that a query derives', () => {
  const weight: ListFields['fields'][number] = { name: 'weight', type: 'INTEGER', operators: ['>'], sortable: true }
  const derived: Derived = {
    from: ['parent'],
    fields: [weight],
    rows: [
      { from: ['p'], values: [20] },
      { from: ['q\u0000"'], values: [3] },
      { from: ['r'], values: [-1] },
    ],
  }
  const documents: readonly Box[] = ['p', 'q\u0000"', 'r', 'nowhere', 'p'].map((parent, i) => ({
    id: `d${i}`,
    name: 'x',
    parent,
  }))

  it('sort as numbers', async () => {
    const store = await filled(documents)
    const order = [
      { field: weight, descending: false },
      { field: { name: 'id', type: 'STRING', operators: [] }, descending: true },
    ] as const
    const ids: string[] = []
    let after: readonly SortKey[] | undefined
    do {
      const page = await store.page(collection, query({ order, size: 2, after }), {}, { derived })
      ids.push(...page.items.map(({ id }) => id))
      after = page.next
    } while (after !== undefined)
    expect(ids).toEqual(['d2', 'd1', 'd4', 'd0'])
  })

  it('filter', async () => {
    const store = await filled(documents)
    const filter: Filter = { kind: 'compare', field: weight, operator: '>', value: 0n }
    const { items } = await store.page(collection, query({ filter }), {}, { derived })
    expect(items.map(({ id }) => id).sort()).toEqual(['d0', 'd1', 'd4'])
  })
})

it('a tree is read up and down from any of its nodes, even with a cycle', async () => {
  const edges = { root: '', left: 'root', right: 'root', leaf: 'left', circle: 'ring', ring: 'circle' }
  const store = await filled(Object.entries(edges).map(([id, parent]) => ({ id, name: id, parent })))
  const idsOf = (found: readonly { readonly id: string }[]): string[] => found.map(({ id }) => id).sort()
  expect(idsOf(await store.above(collection, 'parent', ['leaf', 'right']))).toEqual(['leaf', 'left', 'right', 'root'])
  expect(idsOf(await store.below(collection, 'parent', ['root']))).toEqual(['leaf', 'left', 'right', 'root'])
  expect(idsOf(await store.below(collection, 'parent', ['left', 'nobody']))).toEqual(['leaf', 'left'])
  expect(idsOf(await store.above(collection, 'parent', ['ring']))).toEqual(['circle', 'ring'])
})

it('a condition accepts a list of values with any characters', async () => {
  const names = ['a', 'b"', "c'", '{d}', 'e,f', '\\', '', 'NULL', '\u0000']
  const store = await filled(names.map((name, i) => ({ id: `n${i}`, name })))
  for (const name of names) expect(await store.count(collection, { name: [name, 'nobody'] })).toBe(1)
  expect(await store.count(collection, { name: names })).toBe(names.length)
  expect(await store.exists(collection, { name: [] })).toBe(false)
})
