import { expect, it } from 'vitest'
import type { Store } from '../../../domain/ports/store.ts'
import { SharedCommits } from '../../../domain/resources/shared-commits.ts'
import { boxes, testStore } from '../../server/store/harness.ts'

/** Returns a store of boxes, and the number of its transactions that have begun. */
async function countedStore() {
  const store = await testStore(boxes)
  let begun = 0
  const counted: Pick<Store, 'tx'> = {
    tx: (...call) => {
      begun += 1
      return store.tx(...call)
    },
  }
  return { store, counted, begun: () => begun }
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i)

it('commits the changes of concurrent calls together, and each once', async () => {
  const { begun, counted, store } = await countedStore()
  const commits = new SharedCommits(counted)
  const add = (n: number) => commits.commit(async tx => void (await tx.insert(boxes, { id: `box-${n}`, name: `${n}` })))
  await Promise.all(numbers(100).map(add))
  expect(await store.count(boxes)).toBe(100)
  expect(begun()).toBe(4)
  await add(100)
  expect(await store.get(boxes, 'box-100')).toBeDefined()
  expect(begun()).toBe(5)
})

it('answers a call only after the commit of its change', async () => {
  const { counted, store } = await countedStore()
  const commits = new SharedCommits(counted)
  const seen = await Promise.all(
    numbers(20).map(async n => {
      await commits.commit(async tx => void (await tx.insert(boxes, { id: `box-${n}`, name: `${n}` })))
      return store.get(boxes, `box-${n}`)
    }),
  )
  expect(seen).not.toContain(undefined)
})

it('fails the changes of a failed transaction alone', async () => {
  const { counted, store } = await countedStore()
  const commits = new SharedCommits(counted)
  const add = (id: string) => commits.commit(async tx => void (await tx.insert(boxes, { id, name: id })))
  const failed = [add('a'), commits.commit(() => Promise.reject(new Error('the disk is full')))]
  expect(await Promise.allSettled(failed)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }])
  await add('b')
  expect(await store.count(boxes)).toBe(1)
})

it('commits again after a store that could not begin a transaction', async () => {
  const { counted, store } = await countedStore()
  let isDown = true
  const commits = new SharedCommits({
    tx: (...call) => (isDown ? Promise.reject(new Error('the store is down')) : counted.tx(...call)),
  })
  const add = (id: string) => commits.commit(async tx => void (await tx.insert(boxes, { id, name: id })))
  await expect(add('a')).rejects.toThrow('the store is down')
  isDown = false
  await add('b')
  expect(await store.count(boxes)).toBe(1)
})
