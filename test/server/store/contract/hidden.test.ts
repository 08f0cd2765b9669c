import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Collection, Reader, Stored, Transaction } from '../../../../domain/ports/store.ts'
import { JsonText } from '../../../../runtime/json.ts'
import { query, texts } from '../box-queries.ts'
import { boxFields, statement, storeAt, testPlace, testStore, type Box } from '../harness.ts'
import { isPostgres, openPlaceSnapshot } from '../place.ts'

interface Crate extends Box {
  readonly organisation_id: string
  readonly owner_id: string
}

const openCrates: Collection<Crate> = {
  name: 'test_crates',
  id: 'id',
  list: boxFields,
  columns: { parent: 'STRING', organisation_id: 'STRING', owner_id: 'STRING' },
  indexes: [['organisation_id', 'parent']],
}

const crates: Collection<Crate> = { ...openCrates, hidden: ['organisation_id', 'owner_id'] }

/** A visible text that looks like a hidden member. */
const lookalike = 'a","organisation_id":"o-2","owner_id":"u-2"}'

/** A crate whose inner objects also have members with the names of the hidden members. */
const crate: Crate = {
  organisation_id: 'o-1',
  id: 'a',
  owner_id: 'u-1',
  name: lookalike,
  parent: '',
  labels: { a: 'x', organisation_id: 'o-3', owner_id: 'u-3' },
}

const visible = JSON.stringify({ id: 'a', name: lookalike, parent: '', labels: crate.labels })

const textOf = (stored: Stored<Crate> | undefined): string | undefined => stored?.text.text

async function first<T>(values: AsyncIterable<T>): Promise<T | undefined> {
  for await (const value of values) return value
  return undefined
}

const reads: Readonly<Record<string, (reader: Reader) => Promise<Stored<Crate> | undefined>>> = {
  get: reader => reader.get(crates, 'a'),
  getWith: reader => reader.getWith(crates, 'a', { members: ['owner_id'], witness: { collection: crates, id: 'a' } }),
  find: reader => reader.find(crates, { organisation_id: 'o-1', owner_id: 'u-1' }),
  each: reader => first(reader.each(crates, { organisation_id: 'o-1' })),
  page: async reader => (await reader.page(crates, query(), { organisation_id: 'o-1' })).items[0],
  'a page with members': async reader =>
    (await reader.page(crates, query(), {}, { members: ['organisation_id'] })).items[0],
  above: async reader => (await reader.above(crates, 'parent', ['a']))[0],
  below: async reader => (await reader.below(crates, 'parent', ['a']))[0],
}

async function expectHidden(reader: Reader): Promise<void> {
  for (const [name, read] of Object.entries(reads)) {
    const stored = await read(reader)
    expect([name, textOf(stored)]).toEqual([name, visible])
    expect([name, stored?.value]).toEqual([name, crate])
  }
  const [listed] = (await reader.list(crates, query(), { organisation_id: 'o-1' })).items
  expect(listed).toEqual(new JsonText(visible))
}

describe('hidden members', () => {
  it('are in no text that leaves the store, and in every value', async () => {
    const place = await testPlace()
    const store = await storeAt(place, crates)
    const inserted = await store.tx(tx => tx.insert(crates, crate))
    expect([textOf(inserted), inserted.value]).toEqual([visible, crate])
    await expectHidden(store)
    await store.snapshot(expectHidden)
    await store.tx(expectHidden)
    const snapshot = await openPlaceSnapshot(place, [crates])
    await expectHidden(snapshot)
    await snapshot.close()
  })

  it.each<readonly [string, (tx: Transaction) => Promise<Stored<Crate> | undefined>]>([
    ['inserts it', tx => tx.insert(crates, { ...crate, id: 'b' })],
    ['updates it', tx => tx.update(crates, 'a', crate, 1)],
    ['tries to update it', tx => tx.tryUpdate(crates, 'a', crate, 1)],
    ['locks it', tx => tx.lock(crates, 'a')],
    ['shares it', tx => tx.share(crates, 'a')],
    ['gets it', tx => tx.get(crates, 'a')],
    ['reads it upwards', async tx => (await tx.above(crates, 'parent', ['a']))[0]],
  ])('are in no text of a transaction that %s, neither immediately nor from its cache', async (_, call) => {
    const store = await testStore(crates)
    await store.tx(tx => tx.insert(crates, crate))
    await store.tx(async tx => {
      const made = await call(tx)
      const id = made?.id ?? ''
      const held = [made, await tx.get(crates, id), await tx.lock(crates, id), await tx.share(crates, id)]
      const expected = visible.replace('"id":"a"', `"id":"${id}"`)
      expect(held.map(textOf)).toEqual(held.map(() => expected))
      expect(held.map(each => each?.value)).toEqual(held.map(() => ({ ...crate, id })))
    })
  })

  it('follow all others, so that a visible text may contain anything', async () => {
    const store = await testStore(crates)
    const any = fc.record({ name: fc.oneof(texts, fc.constant(lookalike), fc.string()), tags: fc.array(texts) })
    let count = 0
    await fc.assert(
      fc.asyncProperty(any, fc.stringMatching(/^[\w-]{0,12}$/), async (more, organisation_id) => {
        const shown = { id: `c-${(count += 1)}`, ...more }
        await store.tx(tx => tx.insert(crates, { organisation_id, ...shown, owner_id: 'u' }))
        const stored = await store.get(crates, shown.id)
        expect(textOf(stored)).toBe(JSON.stringify(shown))
        expect(stored?.value).toEqual({ ...shown, organisation_id, owner_id: 'u' })
      }),
      { numRuns: 100 },
    )
  })

  it('are cut from documents that were written before the members were hidden', async () => {
    const place = await testPlace()
    const open = await storeAt(place, openCrates)
    await open.tx(tx => tx.insert(openCrates, crate))
    expect((await open.get(openCrates, 'a'))?.text.text).toBe(JSON.stringify(crate))
    const store = await storeAt(place, crates)
    await expectHidden(store)
    await store.tx(tx => tx.update(crates, 'a', crate, 1))
    await expectHidden(store)
    const snapshot = await openPlaceSnapshot(place, [crates])
    expect(await first(snapshot.mismatches(crates))).toBeUndefined()
    await snapshot.close()
  })

  it.each([
    ['lacks', undefined],
    ['has null in', null],
    ['has a number in', 4],
    ['has a quote in', 'o"'],
    ['has a backslash in', 'o\\'],
    ['has a control character in', 'o\n'],
    ['has half of a surrogate pair in', '\ud800'],
  ])('are refused in a document that %s one, at an insert and at an update', async (_, owner) => {
    const store = await testStore(crates)
    await store.tx(tx => tx.insert(crates, crate))
    const loose: Collection<object> = { name: crates.name, id: 'id' }
    const document = { ...crate, owner_id: owner }
    const expected = 'member "owner_id" of a document of "test_crates" must be a text that JSON writes without escapes'
    await expect(store.tx(tx => tx.insert(loose, { ...document, id: 'b' }))).rejects.toThrow(expected)
    await expect(store.tx(tx => tx.update(loose, 'a', document, 1))).rejects.toThrow(TypeError)
    expect(await store.count(crates)).toBe(1)
    await expectHidden(store)
  })

  it('stay hidden in a damaged document, which the doctor reports', async () => {
    const place = await testPlace()
    const store = await storeAt(place, crates)
    await store.tx(tx => tx.insert(crates, crate))
    const broken = `{"id":"a","organisation_id":"o-1","owner_id":"u-1"`
    await store.close()
    await damage(place, broken)
    const snapshot = await openPlaceSnapshot(place, [crates])
    const stored = await snapshot.get(crates, 'a')
    expect(() => stored?.text).toThrow('a document of "test_crates" is damaged')
    expect(stored && snapshot.isReadable(crates, stored)).toBe(false)
    expect(await first(snapshot.mismatches(crates))).toMatchObject({ key: 'a', damage: 'it is no object in JSON' })
    await snapshot.close()
  })

  it('are reported by the doctor in a document that lacks one', async () => {
    const place = await testPlace()
    const store = await storeAt(place, openCrates)
    const { owner_id: _, ...rest } = crate
    const loose: Collection<object> = { name: crates.name, id: 'id' }
    await store.tx(tx => tx.insert(loose, rest))
    const snapshot = await openPlaceSnapshot(place, [crates])
    expect(await first(snapshot.mismatches(crates))).toMatchObject({ damage: 'it holds no text in "owner_id"' })
    await snapshot.close()
  })

  it('may be the id of the documents, if the list has another key', async () => {
    const byOwner: Collection<Crate> = {
      ...openCrates,
      id: 'owner_id',
      columns: { parent: 'STRING', organisation_id: 'STRING' },
      hidden: ['organisation_id', 'owner_id'],
    }
    const store = await testStore(byOwner)
    await store.tx(async tx => {
      await tx.insert(byOwner, crate)
      const { version } = await tx.insert(byOwner, { ...crate, owner_id: 'u-2' })
      await tx.update(byOwner, 'u-2', { ...crate, owner_id: 'u-2', parent: 'p' }, version)
    })
    expect(textOf(await store.get(byOwner, 'u-1'))).toBe(visible)
    expect((await store.find(byOwner, { parent: 'p' }))?.value).toEqual({ ...crate, owner_id: 'u-2', parent: 'p' })
    const { items } = await store.page(byOwner, query())
    expect(items.map(({ id }) => id)).toEqual(['u-1', 'u-2'])
    expect(items[0]?.text.text).toBe(visible)
  })

  it.each<readonly [string, Collection<Crate>]>([
    ['"id"', { ...crates, hidden: ['id'] }],
    ['"name"', { ...crates, hidden: ['name'] }],
    ['"inner"', { ...crates, hidden: ['inner'] }],
    ['"links"', { ...crates, hidden: ['links'] }],
    ['"owner_id"', { ...crates, hidden: ['owner_id', 'organisation_id', 'owner_id'] }],
  ])('cannot be %s, by which documents are found or listed, nor declared twice', async (name, collection) => {
    await expect(storeAt(await testPlace(), collection)).rejects.toThrow(`"test_crates" cannot hide ${name}`)
  })
})

async function damage(place: string, body: string): Promise<void> {
  const sql = `UPDATE test_crates SET "_body" = '${body}'`
  if (isPostgres(place)) return statement(place, sql)
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(place)
  database.exec(sql)
  database.close()
}
