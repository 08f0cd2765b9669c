import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Collection, Reader } from '../../../../domain/ports/store.ts'
import type { StoreSnapshot } from '../../../../server/store/snapshot.ts'
import { box, looseBoxes, query } from '../box-queries.ts'
import { statement, storeAt, testPlace, testStore, type Box } from '../harness.ts'
import { isPostgres, openPlaceSnapshot } from '../place.ts'

const row = (id: string, more: Partial<Box> = {}): Box => ({
  id,
  name: 'box',
  parent: 'p',
  state: 'NEW',
  size: 1,
  ...more,
})

/** Returns the results of several reads, which must agree with each other. */
async function told(reader: Reader) {
  const ids: string[] = []
  for await (const { id } of reader.each(looseBoxes)) ids.push(id)
  const listed = await reader.page(looseBoxes, query())
  return {
    ids,
    listed: listed.items.map(({ id }) => id).sort(),
    count: await reader.count(looseBoxes),
    sum: await reader.sum(looseBoxes, 'size'),
    tally: await reader.tally(looseBoxes, 'parent'),
    below: (await reader.below(looseBoxes, 'parent', ['a'])).map(({ id }) => id).sort(),
    a: (await reader.get(looseBoxes, 'a'))?.version,
    hasB: await reader.exists(looseBoxes, { id: 'b' }),
  }
}

describe('reads in one snapshot', () => {
  it('see one moment, whatever is committed during the reads, and block no writer', async () => {
    const store = await testStore(looseBoxes)
    await store.tx(async tx => {
      await tx.insert(looseBoxes, row('a'))
      await tx.insert(looseBoxes, row('c', { parent: 'a' }))
    })
    await store.snapshot(async reader => {
      const before = await told(reader)
      await store.tx(async tx => {
        await tx.update(looseBoxes, 'a', row('a', { parent: 'q', size: 7 }), 1)
        await tx.insert(looseBoxes, row('b', { parent: 'a' }))
        await tx.delete(looseBoxes, 'c', 1)
      })
      expect(await told(reader)).toEqual(before)
      expect(await told(store)).not.toEqual(before)
      expect(before).toMatchObject({ ids: ['a', 'c'], listed: ['a', 'c'], count: 2, below: ['a', 'c'], hasB: false })
    })
    expect(await store.snapshot(told)).toEqual(await told(store))
  })

  it('never see half of a transaction', async () => {
    const store = await testStore(looseBoxes)
    await store.tx(async tx => {
      for (const id of ['a', 'b']) await tx.insert(looseBoxes, row(id, { size: 50 }))
    })
    const moved = async (): Promise<void> => {
      for (let i = 0; i < 25; i += 1) {
        await store.tx(async tx => {
          for (const [id, by] of [
            ['a', -1],
            ['b', 1],
          ] as const) {
            const found = await tx.lock(looseBoxes, id)
            if (found) await tx.update(looseBoxes, id, row(id, { size: (found.value.size ?? 0) + by }), found.version)
          }
        })
      }
    }
    const sums: number[] = []
    const watched = async (): Promise<void> => {
      for (let i = 0; i < 25; i += 1) {
        await store.snapshot(async reader => {
          const sizes = [await reader.get(looseBoxes, 'a'), await reader.get(looseBoxes, 'b')]
          sums.push(sizes.reduce((sum, found) => sum + (found?.value.size ?? 0), 0))
        })
      }
    }
    await Promise.all([moved(), watched(), watched()])
    expect(sums).toEqual(Array.from({ length: 50 }, () => 100))
  })

  it('see committed rows only, and do not wait for a writing transaction', async () => {
    const store = await testStore(looseBoxes)
    await store.tx(async tx => {
      await tx.insert(looseBoxes, row('a'))
      expect(await store.snapshot(reader => reader.count(looseBoxes))).toBe(0)
    })
    expect(await store.snapshot(reader => reader.count(looseBoxes))).toBe(1)
  })

  it('run concurrently, even more of them than there are connections', async () => {
    const store = await testStore(looseBoxes)
    await store.tx(tx => tx.insert(looseBoxes, row('a')))
    const counts = await Promise.all(Array.from({ length: 30 }, () => store.snapshot(told)))
    expect(new Set(counts.map(({ count }) => count))).toEqual(new Set([1]))
  })

  it('end with their error, and the next reads begin', async () => {
    const store = await testStore(looseBoxes)
    const failure = new Error('not today')
    const failing = store.snapshot(async reader => {
      await reader.count(looseBoxes)
      throw failure
    })
    await expect(failing).rejects.toBe(failure)
    expect(await store.snapshot(reader => reader.count(looseBoxes))).toBe(0)
  })

  it('cannot be called once the snapshot has ended', async () => {
    const store = await testStore(looseBoxes)
    const late = await store.snapshot(async reader => reader)
    await expect(late.count(looseBoxes)).rejects.toThrow('has ended')
  })

  it('are awaited when the store is closed, after which no read begins', async () => {
    const place = await testPlace()
    const store = await storeAt(place, looseBoxes)
    const gate = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const reading = store.snapshot(async reader => {
      const before = await reader.count(looseBoxes)
      begun.resolve()
      await gate.promise
      return before + (await reader.count(looseBoxes))
    })
    await begun.promise
    const closed = store.close()
    await expect(store.snapshot(async () => 1)).rejects.toThrow('the store is closed')
    gate.resolve()
    expect(await reading).toBe(0)
    await closed
  })
})

async function snapshotOf(place: string, collection: Collection<Box>): Promise<StoreSnapshot> {
  const snapshot = await openPlaceSnapshot(place, [collection])
  onTestFinished(() => snapshot.close())
  return snapshot
}

async function mismatchesIn(place: string): Promise<readonly string[]> {
  const found: string[] = []
  for await (const { key } of (await snapshotOf(place, looseBoxes)).mismatches(looseBoxes)) found.push(key)
  return found
}

async function change(place: string, sql: string): Promise<void> {
  if (isPostgres(place)) return statement(place, sql)
  const database = new DatabaseSync(place)
  database.exec(sql)
  database.close()
}

describe('a snapshot that stays open', () => {
  it('shows the rows at the time of its opening, whatever is written later', async () => {
    const place = await testPlace()
    const store = await storeAt(place, looseBoxes)
    const stored = await store.tx(tx => tx.insert(looseBoxes, row('a')))
    const snapshot = await snapshotOf(place, looseBoxes)
    await store.tx(async tx => {
      await tx.update(looseBoxes, 'a', row('a', { name: 'after' }), stored.version)
      await tx.insert(looseBoxes, row('b'))
    })
    expect(await snapshot.count(looseBoxes)).toBe(1)
    expect((await snapshot.get(looseBoxes, 'a'))?.value.name).toBe('box')
    expect(await snapshot.damages()).toEqual([])
    expect(await store.count(looseBoxes)).toBe(2)
  })

  it('is refused if a table or a column is missing, and creates neither', async () => {
    const place = await testPlace()
    await (await storeAt(place, looseBoxes)).close()
    const newer = { ...looseBoxes, columns: { ...looseBoxes.columns, weight: 'INTEGER' } } as const
    await expect(openPlaceSnapshot(place, [newer])).rejects.toThrow(/column:? "?weight/)
    await expect(openPlaceSnapshot(place, [{ ...looseBoxes, name: 'test_crates' }])).rejects.toThrow(/test_crates/)
    expect(await (await snapshotOf(place, looseBoxes)).count(looseBoxes)).toBe(0)
  })

  it('finds no fault in rows that the store has written, whatever they contain', async () => {
    const place = await testPlace()
    const store = await storeAt(place, looseBoxes)
    // JSON.parse of Node.js 24 has a fault: once a process has parsed an object key of one backslash, JSON.parse
    // returns a backslash for an object key of one double quote. The test avoids both keys.
    const isSound = (key: string): boolean => key !== '\\' && key !== '"'
    const sampled = fc.sample(box, { seed: 11, numRuns: 250 })
    const rows = sampled.filter(({ labels }) => Object.keys(labels ?? {}).every(isSound))
    await store.tx(async tx => {
      for (const [i, each] of rows.entries()) await tx.insert(looseBoxes, { id: `id-${i}`, ...each })
      await tx.insert(
        looseBoxes,
        row('odd', { name: '\ud800\u0000', labels: { a: '\udc00' }, tags: ['\ud800', '"\\'] }),
      )
    })
    expect(await mismatchesIn(place)).toEqual([])
  })

  it.each([
    ['a text', `name = 'x'`],
    ['a number', 'size = 2'],
    ['no number', 'size = NULL'],
    ['a boolean', 'is_sealed = 1'],
    ['a time', `create_time = '2026-01-01T00:00:00.000000000Z'`],
    ['another document', `_body = '{"id":"b","name":"other"}'`],
    ['no JSON', `_body = '{'`],
    ['no value of its type', `_body = '{"id":"b","size":"many"}'`],
    ['the document of another row', `_body = (SELECT _body FROM test_boxes WHERE _key = 'a')`],
  ])('finds the row with %s that differs from its document', async (_name, changed) => {
    const place = await testPlace()
    const store = await storeAt(place, looseBoxes)
    await store.tx(async tx => {
      for (const id of ['a', 'b', 'c']) await tx.insert(looseBoxes, row(id))
    })
    await change(place, `UPDATE test_boxes SET ${changed} WHERE _key = 'b'`)
    expect(await mismatchesIn(place)).toEqual(['b'])
  })
})
