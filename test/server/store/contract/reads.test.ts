import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Reader, Stored } from '../../../../domain/ports/store.ts'
import { JsonText } from '../../../../runtime/json.ts'
import type { ServerStore } from '../../../../server/store/server-store.ts'
import { filled, looseBoxes as boxes, query, sample } from '../box-queries.ts'
import { testStore, type Box } from '../harness.ts'

/** Texts with a special meaning in SQL, JSON or JavaScript. */
const oddTexts = [
  `it's`,
  '"',
  '__proto__',
  'constructor',
  '%',
  '[0]',
  '{"a":1}',
  'a/b',
  '😀',
  '～',
  ' ',
  'null',
  '\\u0061',
]

const manyValues = Array.from({ length: 10_000 }, (_, i) => `value-${i}`)

/** Opens a store with boxes that form a tree, each given by its id and its parent's id. */
async function nested(pairs: readonly (readonly [id: string, parent: string])[]): Promise<ServerStore> {
  const store = await testStore(boxes)
  await store.tx(async tx => {
    for (const [id, parent] of pairs) await tx.insert(boxes, { id, name: 'box', parent })
  })
  return store
}

const idsOf = (found: readonly Stored<Box>[]): readonly string[] => found.map(({ id }) => id).sort()

async function each(
  reader: Reader,
  ...given: [where?: Readonly<Record<string, string | readonly string[]>>, after?: string]
) {
  const found: string[] = []
  for await (const { id } of reader.each(boxes, ...given)) found.push(id)
  return found
}

describe('a document that is read together with members of other documents', () => {
  it('has the members and the version of a witness as of the same moment', async () => {
    const store = await nested([
      ['a', ''],
      ['b', 'a'],
    ])
    const members = ['parent', 'name'] as const
    const read = async (id: string, witness: string) => {
      const found = await store.getWith(boxes, id, { members, witness: { collection: boxes, id: witness } })
      return found && [found.id, found.version, found.value, found.members.slice(0, 2), found.witnessed]
    }
    const document = { id: 'b', name: 'box', parent: 'a' }
    expect(await read('b', 'a')).toEqual(['b', 1, document, ['a', 'box'], 1])
    await store.tx(tx => tx.update(boxes, 'a', { id: 'a', name: 'box', parent: '' }, 1))
    expect(await read('b', 'a')).toEqual(['b', 1, document, ['a', 'box'], 2])
    expect(await read('b', 'nobody')).toEqual(['b', 1, document, ['a', 'box'], undefined])
    expect(await read('nobody', 'a')).toBeUndefined()
  })

  it('is in a page with the version of a witness, which an empty page lacks', async () => {
    const store = await nested([
      ['a', ''],
      ['b', 'a'],
    ])
    const options = { witness: { collection: boxes, id: 'a' } }
    const read = async (parent: string) => {
      const page = await store.page(boxes, query({}), { parent }, options)
      const list = await store.list(boxes, query({}), { parent }, options)
      expect(list.items.map(item => JSON.parse(item instanceof JsonText ? item.text : ''))).toEqual(
        page.items.map(({ value }) => value),
      )
      return [page.witnessed, list.witnessed]
    }
    expect(await read('a')).toEqual([1, 1])
    await store.tx(tx => tx.update(boxes, 'a', { id: 'a', name: 'changed', parent: '' }, 1))
    expect(await read('a')).toEqual([2, 2])
    expect(await read('nobody')).toEqual([undefined, undefined])
  })

  it('needs neither of them', async () => {
    const store = await nested([['a', '']])
    const found = await store.getWith(boxes, 'a', {})
    expect([found?.id, found?.version, found?.witnessed]).toEqual(['a', 1, undefined])
  })
})

describe('a list of values', () => {
  it('matches any of the values, in all reads', async () => {
    const { store, stored } = await filled(sample(60).map(row => ({ ...row, size: 3 })))
    const where = { parent: ['q', 'nobody', 'p', 'q'], state: ['NEW', 'DONE'] }
    const expected = stored
      .filter(({ parent, state }) => (parent === 'p' || parent === 'q') && (state === 'NEW' || state === 'DONE'))
      .map(({ id }) => id)
    expect(expected.length).toBeGreaterThan(5)
    expect(await each(store, where)).toEqual(expected)
    expect(await store.count(boxes, where)).toBe(expected.length)
    expect(await store.sum(boxes, 'size', where)).toBe(expected.length * 3)
    expect(await store.exists(boxes, where)).toBe(true)
    expect((await store.find(boxes, where))?.id).toBe(expected[0])
    const query = { size: 100, filter: undefined, order: [], after: undefined, now: 0 }
    const order = [{ field: { name: 'id', type: 'STRING', operators: [] }, descending: false }] as const
    const page = await store.page(boxes, { ...query, order }, where)
    expect(page.items.map(({ id }) => id)).toEqual(expected)
  })

  it('matches nothing if it is empty', async () => {
    const { store } = await filled(sample(10))
    const where = { parent: [] }
    expect(await each(store, where)).toEqual([])
    expect(await store.count(boxes, where)).toBe(0)
    expect(await store.sum(boxes, 'size', where)).toBe(0)
    expect(await store.exists(boxes, where)).toBe(false)
    expect(await store.find(boxes, where)).toBeUndefined()
    expect(await store.tally(boxes, 'state', where)).toEqual(new Map())
  })

  it('matches ids too', async () => {
    const { store } = await filled(sample(10))
    expect(await each(store, { id: ['id-0007', 'id-0002', 'id-9999'] })).toEqual(['id-0002', 'id-0007'])
  })

  it('may hold 10,000 values and any characters', async () => {
    const store = await nested(oddTexts.map((text, i) => [`id-${i}`, text]))
    for (const [i, text] of oddTexts.entries()) {
      expect(await each(store, { parent: [...manyValues, text] })).toEqual([`id-${i}`])
      expect(await store.count(boxes, { parent: [text] })).toBe(1)
    }
    expect(await store.count(boxes, { parent: [...manyValues, ...oddTexts] })).toBe(oddTexts.length)
  })
})

describe('exists', () => {
  it('returns true if a row matches all columns', async () => {
    const store = await nested([['a', 'p']])
    expect(await store.exists(boxes, { parent: 'p', name: 'box' })).toBe(true)
    expect(await store.exists(boxes, { parent: 'p', name: 'crate' })).toBe(false)
    expect(await store.exists(boxes, { size: null })).toBe(true)
    expect(await store.exists(boxes, {})).toBe(true)
  })

  it('sees the changes of its transaction', async () => {
    const store = await nested([])
    await store.tx(async tx => {
      expect(await tx.exists(boxes, { id: 'a' })).toBe(false)
      await tx.insert(boxes, { id: 'a', name: 'box' })
      expect(await tx.exists(boxes, { id: 'a' })).toBe(true)
    })
  })
})

describe('a tally', () => {
  it('counts documents by their value, and documents without a value under the empty text', async () => {
    const { store, stored } = await filled(sample(60))
    const counted = new Map<string, number>()
    for (const { parent = '' } of stored) counted.set(parent, (counted.get(parent) ?? 0) + 1)
    expect(await store.tally(boxes, 'parent')).toEqual(counted)
    const open = stored.filter(({ state }) => state === 'OPEN')
    expect(await store.tally(boxes, 'state', { state: 'OPEN' })).toEqual(new Map([['OPEN', open.length]]))
  })

  it('keeps values with any characters', async () => {
    const store = await nested([...oddTexts, ...oddTexts].map((text, i) => [`id-${i}`, text]))
    expect(await store.tally(boxes, 'parent')).toEqual(new Map(oddTexts.map(text => [text, 2])))
  })

  it('counts a text in a missing object as an empty text', async () => {
    const store = await testStore(boxes)
    await store.tx(async tx => {
      await tx.insert(boxes, { id: 'a', name: 'box' })
      await tx.insert(boxes, { id: 'b', name: 'box', inner: {} })
      await tx.insert(boxes, { id: 'c', name: 'box', inner: { name: 'null' } })
    })
    expect(await store.tally(boxes, 'inner.name')).toEqual(new Map(Object.entries({ '': 2, null: 1 })))
  })

  it('refuses a value that is not a text', async () => {
    const store = await testStore(boxes)
    await expect(store.tally(boxes, 'size')).rejects.toThrow('"size" is of type INTEGER')
    // @ts-expect-error a box has no member `nothing`
    await expect(store.tally(boxes, 'nothing')).rejects.toThrow('no column "nothing"')
  })
})

describe('each', () => {
  it('continues after an id, whether the id exists or not', async () => {
    const { store, stored } = await filled(sample(250))
    const ids = stored.map(({ id }) => id)
    expect(await each(store, {}, 'id-0003')).toEqual(ids.slice(4))
    expect(await each(store, {}, 'id-0003x')).toEqual(ids.slice(4))
    expect(await each(store, {}, 'id-0249')).toEqual([])
    expect(await each(store, {}, '')).toEqual(ids)
    const ofP = stored.filter(({ id, parent }) => parent === 'p' && id > 'id-0100').map(({ id }) => id)
    expect(await each(store, { parent: 'p' }, 'id-0100')).toEqual(ofP)
    expect(await each(store, { parent: ['p'] }, 'id-0100')).toEqual(ofP)
  })

  it('is in the order of code points, with any characters', async () => {
    const store = await nested(oddTexts.map(text => [text, 'p']))
    const inOrder = oddTexts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    expect(await each(store)).toEqual(inOrder)
    for (const [i, id] of inOrder.entries()) expect(await each(store, {}, id)).toEqual(inOrder.slice(i + 1))
  })
})

describe('a tree', () => {
  const family = [
    ['root', ''],
    ['left', 'root'],
    ['right', 'root'],
    ['leaf', 'left'],
    ['lost', 'gone'],
  ] as const

  it('is read upwards and downwards with the requested documents, each once', async () => {
    const store = await nested(family)
    const above = async (...ids: string[]) => idsOf(await store.above(boxes, 'parent', ids))
    const below = async (...ids: string[]) => idsOf(await store.below(boxes, 'parent', ids))
    expect(await above('leaf')).toEqual(['leaf', 'left', 'root'])
    expect(await above('leaf', 'right', 'left', 'leaf')).toEqual(['leaf', 'left', 'right', 'root'])
    expect(await above('lost', 'nobody')).toEqual(['lost'])
    expect(await below('root')).toEqual(['leaf', 'left', 'right', 'root'])
    expect(await below('left', 'root', 'lost', 'nobody')).toEqual(['leaf', 'left', 'lost', 'right', 'root'])
  })

  it('has nothing above or below no ids, nor below an unknown id', async () => {
    const store = await nested(family)
    for (const ids of [[], ['nobody'], [''], ['gone']]) {
      expect(await store.above(boxes, 'parent', ids)).toEqual([])
      expect(await store.below(boxes, 'parent', ids)).toEqual([])
    }
  })

  it('returns documents as they are stored', async () => {
    const store = await nested(family)
    const [found] = await store.above(boxes, 'parent', ['root'])
    const stored = await store.get(boxes, 'root')
    expect({ ...found, value: found?.value }).toEqual({ ...stored, value: stored?.value })
  })

  it('ends if parents form a cycle', async () => {
    const store = await nested([
      ['self', 'self'],
      ['one', 'two'],
      ['two', 'three'],
      ['three', 'one'],
      ['beside', 'two'],
    ])
    expect(idsOf(await store.above(boxes, 'parent', ['self']))).toEqual(['self'])
    expect(idsOf(await store.below(boxes, 'parent', ['self']))).toEqual(['self'])
    expect(idsOf(await store.above(boxes, 'parent', ['beside']))).toEqual(['beside', 'one', 'three', 'two'])
    expect(idsOf(await store.below(boxes, 'parent', ['one', 'beside']))).toEqual(['beside', 'one', 'three', 'two'])
  })

  it('may be thousands deep or wide, or be requested by thousands of ids', async () => {
    const chain = Array.from({ length: 3000 }, (_, i) => [`c-${i}`, i === 0 ? '' : `c-${i - 1}`] as const)
    const fan = Array.from({ length: 3000 }, (_, i) => [`f-${i}`, 'c-2999'] as const)
    const store = await nested([...chain, ...fan])
    expect(await store.above(boxes, 'parent', ['f-7'])).toHaveLength(3001)
    expect(await store.below(boxes, 'parent', ['c-0'])).toHaveLength(6000)
    expect(await store.above(boxes, 'parent', [...manyValues, ...fan.map(([id]) => id)])).toHaveLength(6000)
    expect(await store.below(boxes, 'parent', [...manyValues, 'c-2999'])).toHaveLength(3001)
  })

  it('keeps ids with any characters', async () => {
    const store = await nested(oddTexts.map((id, i) => [id, oddTexts[i - 1] ?? '']))
    const last = oddTexts.at(-1) ?? ''
    expect(idsOf(await store.above(boxes, 'parent', [last]))).toEqual([...oddTexts].sort())
    for (const [i, id] of oddTexts.entries()) {
      expect(idsOf(await store.below(boxes, 'parent', [id]))).toEqual(oddTexts.slice(i).sort())
    }
  })

  it('equals the result of a walk in memory', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const parents = fc.array(fc.constantFrom('', ...names, 'gone'), {
      minLength: names.length,
      maxLength: names.length,
    })
    await fc.assert(
      fc.asyncProperty(parents, fc.subarray([...names, 'gone']), async (given, ids) => {
        const parentOf = new Map(names.map((name, i) => [name, given[i] ?? '']))
        const store = await nested([...parentOf])
        const found = closure(
          ids.filter(id => parentOf.has(id)),
          id => {
            const parent = parentOf.get(id) ?? ''
            return parentOf.has(parent) ? [parent] : []
          },
        )
        expect(idsOf(await store.above(boxes, 'parent', ids))).toEqual(found)
        const held = closure(
          ids.filter(id => parentOf.has(id)),
          id => names.filter(name => parentOf.get(name) === id),
        )
        expect(idsOf(await store.below(boxes, 'parent', ids))).toEqual(held)
      }),
      { numRuns: 40 },
    )
  })

  it('shows the changes of its own transaction', async () => {
    const store = await nested(family)
    await store.tx(async tx => {
      await tx.insert(boxes, { id: 'new', name: 'box', parent: 'leaf' })
      expect(idsOf(await tx.above(boxes, 'parent', ['new']))).toEqual(['leaf', 'left', 'new', 'root'])
      expect(idsOf(await tx.below(boxes, 'parent', ['left']))).toEqual(['leaf', 'left', 'new'])
    })
  })
})

/** Returns the sorted ids that `next` reaches from some ids, with these ids included. */
function closure(ids: readonly string[], next: (id: string) => readonly string[]): readonly string[] {
  const reached = new Set(ids)
  for (const id of reached) for (const other of next(id)) reached.add(other)
  return [...reached].sort()
}

describe('a document that a transaction shares', () => {
  it('is read, or is undefined if it does not exist', async () => {
    const store = await nested([['a', 'p']])
    await store.tx(async tx => {
      const shared = await tx.share(boxes, 'a')
      expect(shared).toMatchObject({ id: 'a', version: 1, value: { parent: 'p' } })
      expect(await tx.share(boxes, 'b')).toBeUndefined()
      await tx.update(boxes, 'a', { id: 'a', name: 'box', parent: 'q' }, shared?.version ?? 0)
      expect((await tx.share(boxes, 'a'))?.value.parent).toBe('q')
    })
  })

  it('is unchanged until the transaction ends', async () => {
    const store = await nested([['a', 'p']])
    const seen: (string | undefined)[] = []
    const shared = Promise.withResolvers<void>()
    const sharing = store.tx(async tx => {
      seen.push((await tx.share(boxes, 'a'))?.value.parent)
      shared.resolve()
      for (let i = 0; i < 20; i += 1) await tx.get(boxes, 'a')
      seen.push((await tx.share(boxes, 'a'))?.value.parent)
    })
    // On PostgreSQL, either of two concurrent transactions may lock the row first; here the shared lock must be first.
    await Promise.race([shared.promise, sharing])
    const changing = store.tx(async tx => {
      const locked = await tx.lock(boxes, 'a')
      await tx.update(boxes, 'a', { id: 'a', name: 'box', parent: 'q' }, locked?.version ?? 0)
    })
    await Promise.all([sharing, changing])
    expect(seen).toEqual(['p', 'p'])
    expect((await store.get(boxes, 'a'))?.value.parent).toBe('q')
  })

  it('cannot be shared once the transaction has ended', async () => {
    const store = await nested([])
    const ended = await store.tx(async tx => tx)
    await expect(ended.share(boxes, 'a')).rejects.toThrow('has ended')
  })
})
