import { existsSync, mkdirSync, renameSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { put, temporaryFolder } from '../write/temporary-folder.ts'
import { generate, getPet, petstore, Watching } from './command-line.ts'
import { documents, filesOf } from './document-parts-fixture.ts'

afterEach(() => vi.unstubAllEnvs())

const idle = /watching \d+ files? for changes\n/

function watching(folder: string, words: readonly string[] = ['specs/petstore.yaml', '--out', 'api']): Watching {
  const found = new Watching(folder, ...words)
  onTestFinished(() => found.end())
  return found
}

test('watch generates again when a document changes, names the document, and ends on Ctrl-C', async () => {
  const folder = temporaryFolder()
  put(folder, { 'specs/petstore.yaml': petstore() })
  const watch = watching(folder)
  expect(await watch.printed(idle)).toContain('2 operations')
  put(folder, { 'specs/petstore.yaml': petstore(getPet) })
  expect(await watch.printed(idle)).toMatch(/specs\/petstore\.yaml changed\n[^]*3 operations/)
  expect(await watch.interrupt()).toBe(0)
})

test('watch continues after a fault, and notices a replaced or restored file', async () => {
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

test('watch notices changes of referenced files', async () => {
  const folder = temporaryFolder()
  const reference = (text: string): string => text.replaceAll('#/components', './parts.yaml#/components')
  put(folder, { 'specs/petstore.yaml': reference(petstore()), 'specs/parts.yaml': petstore() })
  const watch = watching(folder)
  expect(await watch.printed(idle)).toContain('watching 2 files')
  put(folder, { 'specs/parts.yaml': petstore().replace('name: { type: string', 'title: { type: string') })
  expect(await watch.printed(idle)).toContain('specs/parts.yaml changed')
})

test('watch does not run when only the time of a file changes', async () => {
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

test('watch uses the caches of earlier rounds and runs, with the results of a run without a cache', async () => {
  vi.stubEnv('CI', '')
  const [folder, cold] = [temporaryFolder(), temporaryFolder()]
  mkdirSync(join(folder, 'node_modules'))
  put(folder, documents)
  const words = [...Object.keys(documents), '--out', 'api', '--client', 'All'] as const
  await generate(folder, ...words)
  const watch = watching(folder, [...words, '--timings'])
  expect(await watch.printed(idle)).toContain('remembered: common, pets, shops, toys\n')
  const changes = [
    ['pets.yaml', 'shops, toys'],
    ['toys.yaml', 'pets, shops'],
    ['common.yaml', 'no document'],
  ] as const
  const changed = { ...documents }
  for (const [file, remembered] of changes) {
    changed[file] = changed[file]?.replace('title: ', 'title: New ') ?? ''
    put(folder, { [file]: changed[file] })
    const printed = await watch.printed(idle)
    expect(printed).toContain(`${file} changed\n`)
    expect(printed).toContain(`remembered: ${remembered}\n`)
  }
  expect(await watch.interrupt()).toBe(0)
  put(cold, changed)
  await generate(cold, ...words)
  expect(filesOf(folder)).toEqual(filesOf(cold))
  expect((await generate(folder, ...words, '--timings')).err).toContain('remembered: common, pets, shops, toys\n')
})
