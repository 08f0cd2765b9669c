import { expect, it, onTestFinished } from 'vitest'
import { boxes, testStore } from '../harness.ts'

it('other work runs while all rows of a collection are read', async () => {
  const store = await testStore(boxes)
  const rows = Array.from({ length: 1000 }, (_, i) => ({ id: `box-${i}`, name: `box ${i}` }))
  await store.tx(async tx => {
    for (const row of rows) await tx.insert(boxes, row)
  })
  let turns = 0
  let isDone = false
  onTestFinished(() => void (isDone = true))
  const turn = (): void => {
    turns += 1
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  const read: string[] = []
  for await (const { id } of store.each(boxes)) read.push(id)
  expect(read.length).toBe(1000)
  // Reads of SQLite block the thread, so each turn is a pause between two pages.
  expect(turns).toBeGreaterThanOrEqual(9)
})
