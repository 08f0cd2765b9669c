import { expect, it } from 'vitest'
import { bookKind, books, library, shelfKind, shelves, type Book, type Library, type Shelf } from './library.ts'
import { idOf } from '../../../domain/resources/find-rows.ts'
import { inspectReferences } from '../../../domain/resources/inspect.ts'
import { refusalOf } from '../../../domain/resources/refusal.ts'
import { referencesTo } from '../../../domain/resources/references.ts'
import { callContext } from '../../call-context.ts'

const context = callContext()
const times = { etag: '1', update_time: '2030-01-01T00:00:00.000Z' }
const shelf = (id: string): Shelf => ({ id, name: `name-${id}`, book_count: 0, ...times })
const book = (id: string, more: Partial<Book> = {}): Book => ({
  id,
  name: `name-${id}`,
  shelf_id: 'oak',
  vault_id: 'ash',
  state: 'IN',
  ...times,
  ...more,
})

async function stocked(): Promise<Library> {
  const made = await library()
  await made.store.tx(async tx => {
    for (const id of ['oak', 'ash', 'elm']) await tx.insert(shelves, shelf(id))
  })
  await made.books.create({}, context, book('b1'))
  return made
}

const renaming = (name: string) => {
  const body: { readonly name: string; readonly etag?: string } = { name }
  return { id: 'b1', body, update_mask: 'name' }
}

const lockOfShelf = 'lock library_shelves/oak'
const shareOfVault = 'share library_shelves/ash'
const lockOfBook = 'lock library_books/b1'

it('locks its references with `lock` before the row in every call, and shares the other rows', async () => {
  const { books: calls, held } = await stocked()
  expect(held).toEqual([lockOfShelf, shareOfVault])
  await calls.update(renaming('other'), context)
  expect(held).toEqual([lockOfShelf, lockOfBook])
  await calls.verb('lend', { id: 'b1' }, context)
  expect(held).toEqual([lockOfShelf, lockOfBook])
  await calls.delete({ id: 'b1' }, context)
  expect(held).toEqual([lockOfShelf, lockOfBook])
})

it('starts again if the book was moved to another shelf before the lock', async () => {
  const made = await stocked()
  made.staleShelf = 'elm'
  await made.books.delete({ id: 'b1' }, context)
  expect(made.staleShelf).toBeUndefined()
  expect(made.held).toEqual([lockOfShelf, lockOfBook])
})

it('locks no reference of a row in another workspace', async () => {
  const { books: calls, held } = await stocked()
  await calls.create({}, context, book('b2', { workspace_id: 'theirs' }))
  expect(await refusalOf(calls.delete({ id: 'b2' }, context))).toMatchObject({ reason: 'BOOK_NOT_FOUND' })
  expect(held).toEqual(['lock library_books/b2'])
})

it('writes a row that its capacity completes once, after its names are checked', async () => {
  const { books: calls, store } = await stocked()
  const order: string[] = []
  const complete = (made: Book) => async () => {
    order.push(made.id)
    return { row: { ...made, state: 'BACK' } }
  }
  const taken = book('b2', { name: 'name-b1' })
  expect(await refusalOf(calls.create({}, context, taken, { complete: complete(taken) }))).toMatchObject({
    reason: 'BOOK_TAKEN',
  })
  expect(order).toEqual([])
  const free = book('b3')
  await calls.create({}, context, free, { complete: complete(free) })
  expect(order).toEqual(['b3'])
  expect(await store.get(books, 'b3')).toMatchObject({ version: 1, value: { state: 'BACK' } })
})

it('creates one of two rows that get one name at the same time', async () => {
  const { books: calls, store } = await stocked()
  const outcomes = await Promise.allSettled(
    ['b2', 'b3'].map(id => {
      const row = book(id, { name: 'both' })
      return calls.create({}, context, row, { complete: async () => ({ row }) })
    }),
  )
  const refused = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason] : []))
  expect(refused).toMatchObject([{ reason: 'BOOK_TAKEN' }])
  expect(await store.count(books, { name: 'both' })).toBe(1)
})

it('reports references, then names, then exclusions, then quotas', async () => {
  const { books: calls, store } = await stocked()
  const order: string[] = []
  const creating = (made: Book) =>
    refusalOf(
      calls.create({}, context, made, {
        refer: async () => void order.push('refer'),
        exclude: async () => void order.push('exclude'),
        count: async () => void order.push('count'),
      }),
    )
  expect(await creating(book('b2', { shelf_id: 'none', name: 'name-b1' }))).toMatchObject({ reason: 'SHELF_NOT_FOUND' })
  expect(order).toEqual([])
  expect(await creating(book('b2', { name: 'name-b1' }))).toMatchObject({ reason: 'BOOK_TAKEN' })
  expect(order).toEqual(['refer'])
  expect(await creating(book('b2'))).toBeUndefined()
  expect(order).toEqual(['refer', 'refer', 'exclude', 'count'])
  expect(await store.get(books, 'b2')).toBeDefined()
})

it('runs the same steps for an update, and none if no value changes', async () => {
  const { books: calls } = await stocked()
  const order: string[] = []
  const rename = (name: string) =>
    calls.update(renaming(name), context, {
      refer: async () => void order.push('refer'),
      exclude: async (tx, { value }) =>
        void order.push(`exclude ${value.name}`, String((await tx.get(books, 'b1'))?.value.name)),
      count: async () => void order.push('count'),
    })
  await rename('name-b1')
  expect(order).toEqual([])
  await rename('other')
  expect(order).toEqual(['refer', 'exclude other', 'other', 'count'])
})

it.each([
  ['IN', undefined],
  ['BACK', undefined],
  ['OUT', { reason: 'BOOK_STATE_INVALID', metadata: { current: 'OUT', allowed: 'IN,BACK' } }],
  ['toString', { reason: 'BOOK_STATE_INVALID', metadata: { current: 'toString', allowed: 'IN,BACK' } }],
])('lends a book that is %s according to its table of states', async (state, refusal) => {
  const { books: calls, store } = await stocked()
  await calls.create({}, context, book('b2', { state }))
  const found = await refusalOf(calls.verb('lend', { id: 'b2' }, context))
  if (refusal) {
    expect(found).toMatchObject(refusal)
    expect(found).toMatchObject({
      details: { precondition: [{ type: 'STATE', subject: 'b2', description: 'the state must be IN or BACK' }] },
    })
  } else expect(found).toBeUndefined()
  expect((await store.get(books, 'b2'))?.value.state).toBe(refusal ? state : 'OUT')
})

it.each(['constructor', '__proto__', 'read'])('has no verb "%s" without an entry in its table', async verb => {
  const { books: calls } = await stocked()
  expect(() => calls.verb(verb, { id: 'b1' }, context)).toThrow(`no verb "${verb}"`)
})

it('counts uses by the kind of their holders, and deletes them with the holder', async () => {
  const { books: calls, store } = await stocked()
  await calls.create({}, context, book('b2', { vault_id: 'oak' }))
  const uses = async (id: string) => [...(await referencesTo(store, { type: shelfKind.type, id }))]
  expect(await uses('oak')).toEqual([[bookKind.type, 2]])
  expect(await uses('ash')).toEqual([[bookKind.type, 1]])
  await calls.delete({ id: 'b2' }, context)
  expect(await uses('oak')).toEqual([[bookKind.type, 1]])
})

it('locks references by name in every call, and records their ids', async () => {
  const { books: calls, held, store } = await stocked()
  await calls.create({}, context, book('b2', { lectern: 'name-elm' }))
  const lockOfLectern = 'lock library_shelves/elm'
  expect(held).toEqual([lockOfShelf, shareOfVault, lockOfLectern])
  expect([...(await referencesTo(store, { type: shelfKind.type, id: 'elm' }))]).toEqual([[bookKind.type, 1]])
  await calls.verb('lend', { id: 'b2' }, context)
  expect(held).toEqual([lockOfShelf, lockOfLectern, 'lock library_books/b2'])
  await calls.delete({ id: 'b2' }, context)
  expect(held).toEqual([lockOfShelf, lockOfLectern, 'lock library_books/b2'])
  expect([...(await referencesTo(store, { type: shelfKind.type, id: 'elm' }))]).toEqual([])
})

it.each(['elm', 'NAME-ELM', 'name-yew'])('refuses the lectern "%s", which is the name of no shelf', async lectern => {
  const { books: calls } = await stocked()
  expect(await refusalOf(calls.create({}, context, book('b2', { lectern })))).toMatchObject({
    reason: 'LECTERN_NOT_FOUND',
    rpc: 'INVALID_ARGUMENT',
    details: { badRequest: [{ field: 'lectern' }], resource: { type: shelfKind.type, name: lectern } },
  })
})

it('lets the doctor follow names, and report unknown names', async () => {
  const { books: calls, store } = await stocked()
  await calls.create({}, context, book('b2', { lectern: 'name-elm' }))
  const findings = async () => {
    const told: string[] = []
    for await (const { message } of inspectReferences(store, [bookKind, shelfKind])) told.push(message)
    return told
  }
  expect(await findings()).toEqual([])
  await store.tx(async tx => {
    const elm = await tx.lock(shelves, 'elm')
    if (elm) await tx.update(shelves, 'elm', { ...elm.value, name: 'renamed' }, elm.version)
  })
  expect(await findings()).toEqual([
    'names library.shelves name-elm, which does not exist',
    'uses library.shelves name-elm without a reference, so that this could be deleted',
  ])
})

it('finds a row of the platform by its name, but not by similar texts', async () => {
  const { store } = await stocked()
  expect(await idOf(store, shelfKind, 'name-oak')).toBe('oak')
  expect(await idOf(store, shelfKind, 'NAME-OAK')).toBeUndefined()
  expect(await idOf(store, shelfKind, 'oak')).toBeUndefined()
  const uuid = '01900000-0000-7000-8000-0000000000ff'
  expect(await idOf(store, shelfKind, uuid)).toBe(uuid)
  expect(await idOf(store, bookKind, 'name-b1')).toBe('name-b1')
})
