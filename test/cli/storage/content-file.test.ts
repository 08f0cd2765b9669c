import { appendFileSync, existsSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ContentFile } from '../../../cli/storage/content-file.ts'
import { testFolder } from '../../server/store/harness.ts'

const fault = new Error('the store has other checksums')

/** Returns the path of a new file. */
function newFile(): string {
  const path = join(testFolder(), 'content')
  writeFileSync(path, 'some content')
  return path
}

it.each([
  ['grew', (path: string) => appendFileSync(path, 'more')],
  ['shrank', (path: string) => truncateSync(path, 3)],
  ['was written again', (path: string) => utimesSync(path, 1, 1)],
])('reports a file that %s while it was sent, in place of the fault that followed', async (_, change) => {
  const path = newFile()
  const failing = (changes: boolean) =>
    ContentFile.reading(path, () => {
      if (changes) change(path)
      return Promise.reject(fault)
    })
  await expect(failing(false)).rejects.toBe(fault)
  await expect(failing(true)).rejects.toThrow('changed while it was read')
})

it.runIf(existsSync('/proc/version'))('refuses a file that does not tell its size', async () => {
  await expect(ContentFile.reading('/proc/version', () => Promise.resolve())).rejects.toThrow('does not tell its size')
})

it('reads an empty file', async () => {
  const path = newFile()
  truncateSync(path, 0)
  expect(await ContentFile.reading(path, file => file.readWhole())).toHaveLength(0)
})
