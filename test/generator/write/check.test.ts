import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { check, isClean } from '../../../generator/write/check.ts'
import { manifestName } from '../../../generator/write/manifest.ts'
import { OutputError } from '../../../generator/write/output-error.ts'
import { write } from '../../../generator/write/write.ts'
import { put, temporaryFolder } from './temporary-folder.ts'

const version = '1.0.0'
const generated = new Map([
  ['a/types.ts', 'one\ntwo\nthree\n'],
  ['a/routes.ts', 'routes\n'],
])

function writtenOutput(): string {
  const root = temporaryFolder()
  write(root, generated, { version, force: false })
  return root
}

describe('a check', () => {
  test('of a fresh output is clean', () => {
    const drift = check(writtenOutput(), generated, version)
    expect(drift).toEqual({ missing: [], changed: [], orphans: [], otherVersion: undefined })
    expect(isClean(drift)).toBe(true)
  })

  test('of a CRLF checkout is clean', () => {
    const root = writtenOutput()
    for (const name of ['a/types.ts', manifestName]) {
      const file = join(root, name)
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll('\n', '\r\n'))
    }
    expect(isClean(check(root, generated, version))).toBe(true)
  })

  test('names missing, changed and orphan files, with their changes', () => {
    const root = writtenOutput()
    put(root, { 'a/types.ts': 'one\nTWO\nthree\n' })
    const asked = new Map([
      ['a/types.ts', 'one\ntwo\nthree\n'],
      ['a/client.ts', 'client\n'],
    ])
    const drift = check(root, asked, version)
    expect(drift).toEqual({
      missing: ['a/client.ts'],
      changed: [{ path: 'a/types.ts', diff: ['@@ -1,3 +1,3 @@', ' one', '-TWO', '+two', ' three'] }],
      orphans: ['a/routes.ts'],
      otherVersion: undefined,
    })
    expect(isClean(drift)).toBe(false)
  })

  test('writes nothing', () => {
    const root = writtenOutput()
    put(root, { 'a/types.ts': 'edited\n' })
    unlinkSync(join(root, 'a/routes.ts'))
    const state = (): unknown =>
      readdirSync(root, { recursive: true, encoding: 'utf8' }).map(name => [name, statSync(join(root, name)).mtimeMs])
    const before = state()
    check(root, generated, version)
    expect(state()).toEqual(before)
  })

  test('of a folder that does not exist finds everything missing', () => {
    const drift = check(join(temporaryFolder(), 'none'), generated, version)
    expect(drift.missing).toEqual([manifestName, 'a/routes.ts', 'a/types.ts'])
  })

  test('finds a missing manifest and a manifest with other files', () => {
    const root = writtenOutput()
    const manifest = readFileSync(join(root, manifestName), 'utf8')
    put(root, { [manifestName]: manifest.replace(/"[0-9a-f]{64}"/, '"00"') })
    expect(check(root, generated, version).changed.map(({ path }) => path)).toEqual([manifestName])
    rmSync(join(root, manifestName))
    expect(check(root, generated, version).missing).toEqual([manifestName])
  })

  test('names the other version that wrote the output, which is not drift', () => {
    const drift = check(writtenOutput(), generated, '2.0.0')
    expect(drift.otherVersion).toBe(version)
    expect(isClean(drift)).toBe(true)
  })

  test('counts a foreign file in the place of an output file as changed', () => {
    const root = temporaryFolder()
    put(root, { 'a/types.ts': 'mine\n' })
    expect(check(root, generated, version).changed.map(({ path }) => path)).toEqual(['a/types.ts'])
  })

  test('is refused if a link leads out of the output', () => {
    const root = temporaryFolder()
    symlinkSync(temporaryFolder(), join(root, 'a'))
    expect(() => check(root, generated, version)).toThrow(OutputError)
  })
})
