import { existsSync, renameSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { put, temporaryFolder } from '../write/temporary-folder.ts'
import { getPet, petstore, Watching } from './command-line.ts'

const idle = /watching \d+ files? for changes\n/

function watching(folder: string, ...words: readonly string[]): Watching {
  const found = new Watching(folder, 'specs/petstore.yaml', '--out', 'api', ...words)
  onTestFinished(() => found.end())
  return found
}

test('watch generates again when a document changes, says which, and ends on Ctrl-C', async () => {
  const folder = temporaryFolder()
  put(folder, { 'specs/petstore.yaml': petstore() })
  const watch = watching(folder)
  expect(await watch.printed(idle)).toContain('2 operations')
  put(folder, { 'specs/petstore.yaml': petstore(getPet) })
  expect(await watch.printed(idle)).toMatch(/specs\/petstore\.yaml changed\n[^]*3 operations/)
  expect(await watch.interrupt()).toBe(0)
})

test('watch goes on after a fault, and sees a file that is replaced or comes back', async () => {
  const folder = temporaryFolder()
  put(folder, { 'specs/petstore.yaml': petstore() })
  const watch = watching(folder)
  await watch.printed(idle)
  put(folder, { 'specs/petstore.yaml': 'openapi: [\n' })
  await watch.printed(/error syntax/)
  put(folder, { 'specs/new.yaml': petstore(getPet) })
  renameSync(join(folder, 'specs/new.yaml'), join(folder, 'specs/petstore.yaml'))
  await watch.printed(/3 operations/)
  unlinkSync(join(folder, 'specs/petstore.yaml'))
  await watch.printed(/error file-unreadable/)
  put(folder, { 'specs/petstore.yaml': petstore() })
  await watch.printed(/2 operations/)
})

test('watch sees the files that a document refers to', async () => {
  const folder = temporaryFolder()
  const reference = (text: string): string => text.replaceAll('#/components', './parts.yaml#/components')
  put(folder, { 'specs/petstore.yaml': reference(petstore()), 'specs/parts.yaml': petstore() })
  const watch = watching(folder)
  expect(await watch.printed(idle)).toContain('watching 2 files')
  put(folder, { 'specs/parts.yaml': petstore().replace('name: { type: string', 'title: { type: string') })
  expect(await watch.printed(idle)).toContain('specs/parts.yaml changed')
})

test('watch does not run when nothing but the time of a file changes', async () => {
  const folder = temporaryFolder()
  put(folder, { 'specs/petstore.yaml': petstore(), 'specs/unrelated.txt': '' })
  const watch = watching(folder)
  await watch.printed(idle)
  put(folder, { 'specs/petstore.yaml': petstore(), 'specs/unrelated.txt': 'x' })
  put(folder, { 'specs/petstore.yaml': petstore(getPet) })
  const printed = await watch.printed(idle)
  expect(printed.match(/ changed\n/g)).toHaveLength(1)
  expect(existsSync(join(folder, 'api/types.ts'))).toBe(true)
})
