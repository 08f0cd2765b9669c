import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Conflict, type Transaction } from '../../../../domain/ports/store.ts'
import { boxes, postgresUrl, storeAt, testPlace, testStore, type Box } from '../harness.ts'

const calls = [
  'get',
  'lock',
  'share',
  'above',
  'insert',
  'update',
  'touch',
  'late',
  'delete',
  'together',
  'lost',
] as const
const ids = ['a', 'b', 'c', 'd'] as const

/** A step of a transaction on a row. */
interface Step {
  readonly call: (typeof calls)[number]
  readonly id: string
  readonly parent: string
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({ call: fc.constantFrom(...calls), id: fc.constantFrom(...ids), parent: fc.constantFrom('', ...ids) }),
  { maxLength: 30 },
)

/** The expected rows, keyed by id. */
type Model = Map<string, { readonly value: Box; readonly version: number }>

/** Takes a step and compares its result with the model; `size` differs for each step. */
async function take(tx: Transaction, model: Model, { call, id, parent }: Step, size: number): Promise<void> {
  const known = model.get(id)
  const next: Box = { id, name: id, parent, size }
  switch (call) {
    case 'get':
    case 'lock':
    case 'share': {
      const stored = await tx[call](boxes, id)
      expect(stored && { value: stored.value, version: stored.version }).toEqual(known)
      break
    }
    case 'above': {
      const rows = await tx.above(boxes, 'parent', [id])
      expect(new Map(rows.map(row => [row.id, row.value]))).toEqual(above(model, id))
      break
    }
    case 'insert': {
      const inserted = tx.insert(boxes, next)
      if (known) await expect(inserted).rejects.toThrow(Conflict)
      else model.set(id, { value: next, version: (await inserted).version })
      break
    }
    case 'update':
    case 'touch': {
      if (!known) break
      const value = call === 'update' ? next : { ...known.value, tags: [`${size}`] }
      await tx.update(boxes, id, value, known.version)
      model.set(id, { value, version: known.version + 1 })
      break
    }
    case 'late':
      expect(await tx.tryUpdate(boxes, id, next, (known?.version ?? 0) + 1)).toBeUndefined()
      break
    case 'delete':
      if (known) await tx.delete(boxes, id, known.version)
      model.delete(id)
      break
    case 'lost':
      if (!known) break
      // A later read must not return the row of a read that began before the deletion.
      await Promise.all([
        tx.get(boxes, id),
        tx.update(boxes, id, next, known.version),
        tx.delete(boxes, id, known.version + 1),
      ])
      model.delete(id)
      break
    case 'together':
      if (!known) break
      // A read that begins before a write may return the old row; the transaction must not cache this row after the
      // write.
      await Promise.all([
        tx.get(boxes, id),
        tx.above(boxes, 'parent', [id]),
        tx.update(boxes, id, next, known.version),
        tx.get(boxes, id),
      ])
      model.set(id, { value: next, version: known.version + 1 })
  }
}

/** Returns the row of an id and its ancestors, keyed by id. */
function above(model: Model, id: string): ReadonlyMap<string, Box> {
  const found = new Map<string, Box>()
  for (let row = model.get(id); row && !found.has(row.value.id); row = model.get(row.value.parent ?? '')) {
    found.set(row.value.id, row.value)
  }
  return found
}

describe('a transaction', () => {
  it('sees its own changes in rows that it has read before', async () => {
    const store = await testStore(boxes)
    const run = async (taken: readonly Step[]): Promise<void> => {
      const undone = store.tx(async tx => {
        const model: Model = new Map()
        for (const [size, step] of taken.entries()) await take(tx, model, step, size)
        // The test repeats the reads, now from the cache of the transaction, and then searches by the columns.
        for (const id of ids) {
          for (const call of ['above', 'get'] as const) await take(tx, model, { call, id, parent: '' }, 0)
        }
        for (const { value } of model.values()) {
          const { id, parent = '', size = 0 } = value
          expect((await tx.find(boxes, { parent, size }))?.id).toBe(id)
        }
        throw new Error('undone')
      })
      await expect(undone).rejects.toThrow('undone')
    }
    await fc.assert(fc.asyncProperty(steps, run), { numRuns: postgresUrl() === undefined ? 200 : 60 })
  })

  it('reads a row once if no other transaction can change it', async () => {
    const store = await testStore(boxes)
    await store.tx(tx => tx.insert(boxes, { id: 'a', name: 'a' }))
    await store.tx(async tx => {
      const locked = await tx.lock(boxes, 'a')
      expect(
        [await tx.get(boxes, 'a'), await tx.share(boxes, 'a'), await tx.lock(boxes, 'a')].map(row => row === locked),
      ).toEqual([true, true, true])
    })
  })

  it('caches a limited number of rows, and reads the others again', async () => {
    const store = await testStore(boxes)
    const many = Array.from({ length: 1100 }, (_, i) => `box-${i}`)
    await store.tx(async tx => {
      for (const id of many) await tx.insert(boxes, { id, name: id })
      const read = await Promise.all(many.map(id => tx.get(boxes, id)))
      expect(read.map(row => row?.value.id)).toEqual(many)
    })
  })

  it('locks a row that it has shared before', async () => {
    const place = await testPlace()
    const [store, other] = [await storeAt(place, boxes), await storeAt(place, boxes)]
    await store.tx(tx => tx.insert(boxes, { id: 'a', name: 'a', size: 0 }))
    let waiting: Promise<unknown> | undefined
    await store.tx(async tx => {
      await tx.share(boxes, 'a')
      const row = await tx.lock(boxes, 'a')
      waiting = other.tx(async rival => (await rival.share(boxes, 'a'))?.value.size)
      if (row) await tx.update(boxes, 'a', { ...row.value, size: 7 }, row.version)
    })
    expect(await waiting).toBe(7)
  })
})
