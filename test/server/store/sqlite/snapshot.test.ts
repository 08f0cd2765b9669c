import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openSqlite } from '../../../../server/store/sqlite.ts'
import { openSqliteSnapshot } from '../../../../server/store/sqlite/snapshot.ts'
import { boxes, testFolder } from '../harness.ts'

it('a snapshot of a missing file, or of a file without a column, is refused and leaves nothing behind', async () => {
  const folder = testFolder()
  const [missing, file] = [join(folder, 'missing.sqlite'), join(folder, 'store.sqlite')]
  await expect(openSqliteSnapshot({ file: missing })).rejects.toThrow('does not exist')
  expect(existsSync(missing)).toBe(false)
  const old = await openSqlite({ file, collections: [boxes] })
  await old.close()
  const newer = { ...boxes, columns: { ...boxes.columns, weight: 'INTEGER' } } as const
  await expect(openSqliteSnapshot({ file, collections: [newer] })).rejects.toThrow(
    'older version: it lacks column weight of test_boxes',
  )
})
