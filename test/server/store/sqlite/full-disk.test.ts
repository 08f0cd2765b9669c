import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { areas } from '../../../../server/areas.ts'
import { openIam } from '../../../../server/iam/open.ts'
import { serve } from '../../../../server/serve.ts'
import { openSqlite } from '../../../../server/store/sqlite.ts'
import { fill, needsMount, smallDisk } from '../../small-disk.ts'
import { boxes } from '../harness.ts'

const told = 'the disk of the store is full; try again when there is room'

it('a store can be closed and opened again while its disk is full, and its log is complete', async context => {
  const disk = smallDisk(8192)
  if (disk === undefined) return context.skip(needsMount)
  const file = join(disk, 'store.sqlite')
  const store = await openSqlite({ file, collections: [boxes] })
  const kept: string[] = []
  const fillUp = async (): Promise<void> => {
    for (let i = 0; i < 1000; i += 1) {
      await store.tx(async tx => void (await tx.insert(boxes, { id: `box-${i}`, name: `${i}${'x'.repeat(20_000)}` })))
      kept.push(`box-${i}`)
    }
  }
  fill(disk, 1024)
  await expect(fillUp()).rejects.toMatchObject({ message: told })
  expect(statSync(`${file}-wal`).size).toBeGreaterThan(statSync(file).size)
  await store.close()
  expect(existsSync(`${file}-wal`)).toBe(true)
  rmSync(join(disk, 'filler'))
  const again = await openSqlite({ file, collections: [boxes] })
  onTestFinished(() => again.close())
  expect(await again.count(boxes)).toBe(kept.length)
})

it('a store on a full disk refuses new rows, serves reads, and continues when there is room', async context => {
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
  const full = { reason: 'ENGINE_UNAVAILABLE', message: told }
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

it('a server does not start on a full disk, reports the fault immediately, and starts when there is room', async context => {
  const disk = smallDisk(8192)
  if (disk === undefined) return context.skip(needsMount)
  const dataDir = join(disk, 'data')
  const http = { host: '127.0.0.1', port: 0, isPortOpen: false }
  const start = async (): Promise<void> => {
    const server = await serve({ baseUrl: undefined, dataDir, http }, areas, openIam)
    await server.close()
  }
  await start()
  fill(disk, 64)
  await expect(start()).rejects.toThrow(/^\S+ninefold\.sqlite\S* .*disk .*full.*make room|^\S+ninefold\.sqlite: .*full/)
  rmSync(join(disk, 'filler'))
  await start()
})
