import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readdirSync, readSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { capsulePayloads } from '../../../../../domain/vault/capsules/capsules-store.ts'
import { areas } from '../../../../../server/areas.ts'
import { storeCollections } from '../../../../../server/platform-store.ts'
import { testPlatform } from '../../../../areas/test-platform.ts'
import { openBeside } from '../../../../server/store/left-place.ts'
import { endedSnapshot, snapshotNames } from '../taken.ts'

/** Flips a bit of the first chunk of an unfinished snapshot, as soon as the chunk is written; `isOver` ends the wait. */
async function damagePart(folder: string, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const part = readdirSync(folder).find(name => name.endsWith('.part'))
    if (part !== undefined && (statSync(join(folder, part), { throwIfNoEntry: false })?.size ?? 0) > 200_000) {
      const file = openSync(join(folder, part), 'r+')
      const byte = Buffer.alloc(1)
      readSync(file, byte, 0, 1, 30_000)
      byte[0] = (byte[0] ?? 0) ^ 1
      writeSync(file, byte, 0, 1, 30_000)
      closeSync(file)
      return
    }
    await setImmediate()
  }
}

it('a snapshot that does not read back fails, and leaves no file', async () => {
  const platform = await testPlatform()
  const { api } = await platform.admin()
  await endedSnapshot(api)
  const before = snapshotNames(platform.config)
  const store = await openBeside(platform.config, storeCollections(areas))
  await store.tx(async tx => {
    for (let i = 100; i < 300; i += 1)
      await tx.insert(capsulePayloads, {
        id: `x-${i}`,
        workspace_id: 'x',
        sealed: randomBytes(60_000).toString('base64'),
      })
  })
  await store.close()
  // The bit is flipped while the thread writes; a slow machine may flip it too late.
  let errors: readonly object[] = []
  for (let attempt = 0; errors.length === 0 && attempt < 10; attempt += 1) {
    let isOver = false
    const damaging = damagePart(join(platform.config.dataDir, 'snapshots'), () => isOver)
    errors = (await endedSnapshot(api)).errors
    isOver = true
    await damaging
  }
  expect(errors).toMatchObject([{ code: 9_009_003, reason: 'SNAPSHOT_VERIFY_FAILED' }])
  const names = snapshotNames(platform.config)
  expect(names.filter(name => name.endsWith('.part'))).toEqual([])
  expect(names).toEqual(expect.arrayContaining([...before]))
  expect(platform.lines.join('\n')).toContain('a snapshot of the vault failed (verify)')
})
