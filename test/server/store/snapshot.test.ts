import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openSnapshot } from '../../../server/store/snapshot.ts'
import { openSqlite } from '../../../server/store/sqlite.ts'
import { boxes, testFolder } from './harness.ts'

it('a snapshot shows what was there when it was opened, whatever is written meanwhile', async () => {
  const file = join(testFolder(), 'store.sqlite')
  const store = await openSqlite({ file, collections: [boxes] })
  onTestFinished(() => store.close())
  const stored = await store.tx(tx => tx.insert(boxes, { id: 'a', name: 'before' }))
  const snapshot = openSnapshot({ file, collections: [boxes] })
  onTestFinished(() => snapshot.close())
  await store.tx(async tx => {
    await tx.update(boxes, 'a', { id: 'a', name: 'after' }, stored.version)
    await tx.insert(boxes, { id: 'b', name: 'b' })
  })
  expect(await snapshot.count(boxes)).toBe(1)
  expect((await snapshot.get(boxes, 'a'))?.value.name).toBe('before')
  expect(await store.count(boxes)).toBe(2)
})

it('a snapshot of no file, or of one that lacks a column, is refused and leaves nothing behind', async () => {
  const folder = testFolder()
  const [missing, file] = [join(folder, 'missing.sqlite'), join(folder, 'store.sqlite')]
  expect(() => openSnapshot({ file: missing })).toThrow('unable to open database file')
  expect(existsSync(missing)).toBe(false)
  const old = await openSqlite({ file, collections: [boxes] })
  await old.close()
  const newer = { ...boxes, columns: { ...boxes.columns, weight: 'INTEGER' } } as const
  expect(() => openSnapshot({ file, collections: [newer] })).toThrow(/no such column: "?weight/)
})
