import { cpSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fill, needsMount, smallDisk } from '../small-disk.ts'
import { backUpTo, expectSound, restoreFrom, started } from './harness.ts'

describe('on a full disk', () => {
  it('a backup reports the full disk and leaves nothing, whatever room there is', async context => {
    const disk = smallDisk(4096)
    if (disk === undefined) return context.skip(needsMount)
    const { dataDir, folder } = await started()
    await backUpTo(dataDir, join(folder, 'b.sqlite'))
    const neededKib = statSync(join(folder, 'b.sqlite')).size / 1024
    for (const kib of [0, 8, Math.floor(neededKib / 2), neededKib - 4]) {
      fill(disk, kib)
      await expect(backUpTo(dataDir, join(disk, 'b.sqlite'))).rejects.toThrow(
        `${join(disk, 'b.sqlite')} cannot be written: the disk is full; make room, or name a file elsewhere`,
      )
      expect(readdirSync(disk)).toEqual(['filler'])
    }
    await expectSound(dataDir)
  })

  it('a restore reports the full disk and leaves the present store', async context => {
    const disk = smallDisk(8192)
    if (disk === undefined) return context.skip(needsMount)
    const { dataDir, folder } = await started()
    const backup = join(folder, 'b.sqlite')
    await backUpTo(dataDir, backup)
    const place = join(disk, 'data')
    cpSync(dataDir, place, { recursive: true })
    const before = readdirSync(place).sort()
    for (const kib of [0, 8, 100]) {
      fill(disk, kib)
      expect(() => restoreFrom(place, backup)).toThrow(/full|ENOSPC/)
      expect(readdirSync(place).sort()).toEqual(before)
    }
    writeFileSync(join(disk, 'filler'), '')
    await expectSound(place)
    restoreFrom(place, backup)
    await expectSound(place)
  })
})
