import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openSqlite } from '../../../../server/store/sqlite.ts'
import { fill, needsMount, smallDisk } from '../../small-disk.ts'
import { boxes } from '../harness.ts'

it('a store whose disk is full refuses what it cannot keep, reads on, and goes on when there is room', async context => {
  const disk = smallDisk(8192)
  if (disk === undefined) return context.skip(needsMount)
  const store = await openSqlite({ file: join(disk, 'store.sqlite'), collections: [boxes] })
  onTestFinished(() => store.close())
  const nameOf = (id: string): string => id + 'x'.repeat(20_000)
  const kept: string[] = []
  const insert = async (id: string): Promise<void> => {
    await store.tx(async tx => void (await tx.insert(boxes, { id, name: nameOf(id) })))
    kept.push(id)
  }
  await insert('before')
  fill(disk, 256)
  const full = { reason: 'ENGINE_UNAVAILABLE', message: 'the disk of the store is full; try again when there is room' }
  const fillUp = async (): Promise<void> => {
    for (let i = 0; i < 1000; i += 1) await insert(`box-${i}`)
  }
  await expect(fillUp()).rejects.toMatchObject(full)
  await expect(insert('during')).rejects.toMatchObject(full)
  expect(await store.count(boxes)).toBe(kept.length)
  rmSync(join(disk, 'filler'))
  await insert('after')
  const ids: string[] = []
  for await (const { id, value } of store.each(boxes)) if (value.name === nameOf(id)) ids.push(id)
  expect(ids).toEqual(kept.toSorted())
})
