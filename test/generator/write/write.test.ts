import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { format } from 'prettier'
import { describe, expect, onTestFinished, test } from 'vitest'
import { manifestName, readManifest } from '../../../generator/write/manifest.ts'
import { OutputError } from '../../../generator/write/output-error.ts'
import { write, type WriteResult } from '../../../generator/write/write.ts'
import { put, temporaryFolder } from './temporary-folder.ts'

const version = '1.0.0'
const files = (record: Readonly<Record<string, string>>): ReadonlyMap<string, string> => new Map(Object.entries(record))
const run = (root: string, record: Readonly<Record<string, string>>, force = false): WriteResult =>
  write(root, files(record), { version, force })
const read = (root: string, path: string): string => readFileSync(join(root, path), 'utf8')

function problemsOf(action: () => unknown): readonly string[] {
  try {
    action()
  } catch (error) {
    if (error instanceof OutputError) return error.problems
    throw error
  }
  throw new Error('nothing was refused')
}

describe('the files that a run writes', () => {
  test('are all files, in folders that it creates', () => {
    const root = join(temporaryFolder(), 'src', 'api')
    const result = run(root, { 'b/types.ts': 'b\n', 'a/types.ts': 'a\n' })
    expect(result).toEqual({
      written: ['a/types.ts', 'b/types.ts'],
      unchanged: [],
      deleted: [],
      overwritten: [],
      kept: [],
    })
    expect(read(root, 'a/types.ts')).toBe('a\n')
    expect(read(root, 'b/types.ts')).toBe('b\n')
  })

  test('exclude unchanged files, whose times stay', () => {
    const root = temporaryFolder()
    run(root, { 'a.ts': 'a\n', 'b.ts': 'b\n' })
    const old = new Date('2001-02-03T04:05:06Z')
    for (const name of ['a.ts', 'b.ts', manifestName]) utimesSync(join(root, name), old, old)
    expect(run(root, { 'a.ts': 'a\n', 'b.ts': 'b\n' })).toMatchObject({ written: [], unchanged: ['a.ts', 'b.ts'] })
    for (const name of ['a.ts', 'b.ts', manifestName]) expect(statSync(join(root, name)).mtime).toEqual(old)

    expect(run(root, { 'a.ts': 'a\n', 'b.ts': 'new\n' })).toMatchObject({ written: ['b.ts'], unchanged: ['a.ts'] })
    expect(statSync(join(root, 'a.ts')).mtime).toEqual(old)
  })

  test('are none in a checkout with CRLF line ends', () => {
    const root = temporaryFolder()
    run(root, { 'a.ts': 'one\ntwo\n' })
    for (const name of ['a.ts', manifestName]) {
      writeFileSync(join(root, name), read(root, name).replaceAll('\n', '\r\n'))
    }
    expect(run(root, { 'a.ts': 'one\ntwo\n' })).toMatchObject({ written: [], unchanged: ['a.ts'] })
    expect(read(root, 'a.ts')).toBe('one\r\ntwo\r\n')
    expect(run(root, { 'a.ts': 'one\nthree\n' })).toMatchObject({ written: ['a.ts'], overwritten: [] })
  })

  test('include no temporary file', () => {
    const root = temporaryFolder()
    run(root, { 'a/b.ts': 'b\n' })
    expect(readdirSync(root, { recursive: true }).sort()).toEqual([manifestName, 'a', join('a', 'b.ts')])
  })

  test('are refused for a path that leaves the root', () => {
    const root = temporaryFolder()
    for (const path of ['../x.ts', '/x.ts', 'a/../../x.ts', 'a\\..\\x.ts', 'C:x.ts', '', 'a//b.ts', manifestName]) {
      expect(() => run(join(root, 'out'), { [path]: 'x' })).toThrow(RangeError)
    }
    expect(readdirSync(root)).toEqual([])
  })
})

describe('the manifest', () => {
  test('lists hashes in order of path, as prettier formats it', async () => {
    const root = temporaryFolder()
    run(root, { 'b.ts': 'b\n', 'a/types.ts': 'a\n', 'B.ts': '' })
    const text = read(root, manifestName)
    expect(JSON.parse(text)).toEqual({
      generator: version,
      files: {
        'B.ts': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        'a/types.ts': '87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7',
        'b.ts': '0263829989b6fd954f72baaf2fc64bc2e2f01d692d4de72986ea808f6e99813f',
      },
    })
    expect(text.indexOf('B.ts')).toBeLessThan(text.indexOf('a/types.ts'))
    expect(await format(text, { parser: 'json' })).toBe(text)
  })

  test('is the only file that another version of the generator changes', () => {
    const root = temporaryFolder()
    run(root, { 'a.ts': 'a\n' })
    const result = write(root, files({ 'a.ts': 'a\n' }), { version: '2.0.0', force: false })
    expect(result.written).toEqual([])
    expect(readManifest(root)?.generator).toBe('2.0.0')
  })

  const broken = [
    ['a merge conflict', '<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> b\n'],
    ['a list', '[]'],
    ['no version', '{"files":{}}'],
    ['a path out of the root', '{"generator":"1","files":{"../victim.txt":"00"}}'],
    ['an absolute path', '{"generator":"1","files":{"/victim.txt":"00"}}'],
    ['a hash that is not a text', '{"generator":"1","files":{"a.ts":1}}'],
  ] as const
  test.each(broken)('with %s is refused, and written again with --force', (_, text) => {
    const root = temporaryFolder()
    put(root, { [manifestName]: text })
    expect(problemsOf(() => run(root, { 'a.ts': 'a\n' }))).toEqual([
      `"${join(root, manifestName)}" is no manifest of generated files: restore it, or take its folder over with --force`,
    ])
    expect(existsSync(join(root, 'a.ts'))).toBe(false)
    run(root, { 'a.ts': 'a\n' }, true)
    expect(readManifest(root)?.files.has('a.ts')).toBe(true)
  })

  test('may list a file with the name __proto__', () => {
    const root = temporaryFolder()
    const record = { ['__proto__']: 'a\n' }
    run(root, record)
    expect(run(root, record).unchanged).toEqual(['__proto__'])
    expect(run(root, {}).deleted).toEqual(['__proto__'])
  })
})

describe('orphans', () => {
  test('of an earlier run are deleted, with the folders that they leave empty', () => {
    const root = temporaryFolder()
    run(root, { 'a/b/old.ts': 'x\n', 'a/keep.ts': 'x\n', 'c/old.ts': 'x\n' })
    put(root, { 'c/own.ts': 'mine\n' })
    expect(run(root, { 'a/keep.ts': 'x\n' }).deleted).toEqual(['a/b/old.ts', 'c/old.ts'])
    expect(existsSync(join(root, 'a/b'))).toBe(false)
    expect(read(root, 'c/own.ts')).toBe('mine\n')
  })

  test('that a user edited stay until --force', () => {
    const root = temporaryFolder()
    run(root, { 'old.ts': 'x\n', 'a.ts': 'a\n' })
    put(root, { 'old.ts': 'x\nmine\n' })
    for (const _ of [1, 2]) expect(run(root, { 'a.ts': 'a\n' })).toMatchObject({ deleted: [], kept: ['old.ts'] })
    expect(read(root, 'old.ts')).toBe('x\nmine\n')
    expect(run(root, { 'a.ts': 'a\n' }, true)).toMatchObject({ deleted: ['old.ts'], kept: [] })
  })

  test('that do not exist any more are forgotten', () => {
    const root = temporaryFolder()
    run(root, { 'old.ts': 'x\n', 'a.ts': 'a\n' })
    unlinkSync(join(root, 'old.ts'))
    expect(run(root, { 'a.ts': 'a\n' })).toMatchObject({ deleted: [], kept: [] })
    expect([...(readManifest(root)?.files.keys() ?? [])]).toEqual(['a.ts'])
  })
})

describe('existing files', () => {
  test('that a user edited since their generation are overwritten, and named', () => {
    const root = temporaryFolder()
    run(root, { 'a.ts': 'a\n', 'b.ts': 'b\n' })
    put(root, { 'a.ts': 'edited\n' })
    expect(run(root, { 'a.ts': 'a\n', 'b.ts': 'b\n' })).toMatchObject({ written: ['a.ts'], overwritten: ['a.ts'] })
    expect(read(root, 'a.ts')).toBe('a\n')
  })

  test('that the generator did not write are all named, and nothing is written, until --force', () => {
    const root = temporaryFolder()
    put(root, { 'types.ts': 'mine\n', 'routes.ts': 'mine\n', 'notes.md': 'mine\n' })
    const record = { 'client.ts': 'c\n', 'routes.ts': 'r\n', 'types.ts': 't\n' }
    const advice = 'was not written by the generator: move it away, or overwrite with --force'
    expect(problemsOf(() => run(root, record))).toEqual([
      `"${join(root, 'routes.ts')}" ${advice}`,
      `"${join(root, 'types.ts')}" ${advice}`,
    ])
    expect(readdirSync(root).sort()).toEqual(['notes.md', 'routes.ts', 'types.ts'])
    run(root, record, true)
    expect(read(root, 'types.ts')).toBe('t\n')
    expect(read(root, 'notes.md')).toBe('mine\n')
  })

  test('with the right text are accepted', () => {
    const root = temporaryFolder()
    put(root, { 'types.ts': 't\n' })
    expect(run(root, { 'types.ts': 't\n' })).toMatchObject({ unchanged: ['types.ts'] })
  })

  const obstacles: readonly (readonly [string, (root: string, outside: string) => void, RegExp])[] = [
    [
      'a folder where a file belongs',
      root => mkdirSync(join(root, 'a/types.ts'), { recursive: true }),
      /types.ts" stands where a file belongs/,
    ],
    ['a file where a folder belongs', root => put(root, { a: 'x' }), /a" stands where a folder belongs/],
    [
      'a folder that is a link out of the root',
      (root, outside) => symlinkSync(outside, join(root, 'a')),
      /a" is a symbolic link that leads out of the output folder: remove it/,
    ],
    [
      'a link to a file outside',
      (root, outside) => {
        mkdirSync(join(root, 'a'))
        symlinkSync(join(outside, 'types.ts'), join(root, 'a/types.ts'))
      },
      /types.ts" is a symbolic link/,
    ],
    [
      'a link to nothing',
      root => {
        mkdirSync(join(root, 'a'))
        symlinkSync('nowhere', join(root, 'a/types.ts'))
      },
      /types.ts" is a symbolic link/,
    ],
    ['a link to the root itself', root => symlinkSync('.', join(root, 'a')), /a" is a symbolic link/],
    [
      'a manifest that is a link out of the root',
      (root, outside) => symlinkSync(join(outside, 'types.ts'), join(root, manifestName)),
      /manifest|symbolic link/,
    ],
  ]
  test.each(obstacles)('%s is named and nothing is written', (_, place, message) => {
    const folder = temporaryFolder()
    const [root, outside] = [join(folder, 'root'), join(folder, 'outside')]
    put(outside, { 'types.ts': 'precious\n' })
    mkdirSync(root)
    place(root, outside)
    const before = readdirSync(folder, { recursive: true })
    expect(problemsOf(() => run(root, { 'a/types.ts': 'new\n', 'b/types.ts': 'new\n' })).join()).toMatch(message)
    expect(readdirSync(folder, { recursive: true })).toEqual(before)
    expect(read(outside, 'types.ts')).toBe('precious\n')
  })

  test('a root that is a file is named', () => {
    const folder = temporaryFolder()
    put(folder, { api: 'x' })
    expect(problemsOf(() => run(join(folder, 'api'), { 'a.ts': 'a\n' })).join()).toMatch(/api" is no folder/)
  })

  test('a root that is a link to a folder is followed', () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'real'))
    symlinkSync('real', join(folder, 'link'))
    run(join(folder, 'link'), { 'a/b.ts': 'b\n' })
    expect(read(folder, 'real/a/b.ts')).toBe('b\n')
  })

  test('a manifest never makes the generator delete through a link', () => {
    const folder = temporaryFolder()
    const root = join(folder, 'root')
    run(root, { 'a/old.ts': 'x\n', 'b.ts': 'b\n' })
    put(folder, { 'outside/old.ts': 'x\n' })
    unlinkSync(join(root, 'a/old.ts'))
    spawnSync('rmdir', [join(root, 'a')])
    symlinkSync(join(folder, 'outside'), join(root, 'a'))
    expect(problemsOf(() => run(root, { 'b.ts': 'b\n' })).join()).toMatch(/symbolic link/)
    expect(read(folder, 'outside/old.ts')).toBe('x\n')
  })
})

test.skipIf(process.platform === 'win32')('a folder without write permission is named', () => {
  const root = temporaryFolder()
  mkdirSync(join(root, 'a'))
  chmodSync(join(root, 'a'), 0o555)
  chmodSync(root, 0o555)
  asOrdinaryUser()
  const problems = problemsOf(() => run(root, { 'a/types.ts': 'x\n' }))
  expect(problems.join()).toMatch(/^cannot write ".+": permission denied$/)
})

test.skipIf(process.platform !== 'linux')('a folder that the system refuses as absent is named', () => {
  const module = new URL('../../../generator/write/write.ts', import.meta.url).href
  const script = `const { write } = await import('${module}')
    write('/proc/ninefold/api', new Map([['types.ts', 'x']]), { version: '1', force: false })`
  const { signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { timeout: 20_000 })
  expect({ signal, stderr: String(stderr) }).toEqual({
    signal: null,
    stderr: expect.stringContaining('cannot write "/proc/ninefold/api/.ninefold.json": it does not exist'),
  })
})

/** Drops the privileges of root until the end of the test, because the system refuses nothing to root. */
function asOrdinaryUser(): void {
  if (process.getuid?.() !== 0) return
  process.seteuid?.(65534)
  onTestFinished(() => process.seteuid?.(0))
}

describe('a run that is killed', () => {
  const script = join(import.meta.dirname, 'killed-run.ts')
  const before = { 'a/one.ts': 'old one\n', 'a/two.ts': 'old two\n', 'old/gone.ts': 'old\n' }
  const after = { 'a/one.ts': 'new one\n', 'a/two.ts': 'new two\n', 'b/three.ts': 'new three\n' }
  // The run has five renames: of the journal, of three files and of the manifest. The test kills the process before and
  // after each rename.
  const moments = [1, 2, 3, 4, 5].flatMap(step => [['before', step] as const, ['after', step] as const])

  test.each(moments)(
    '%s its rename %i leaves complete files, and another run with other files repairs the output',
    (when, step) => {
      const root = temporaryFolder()
      run(root, before)
      const child = spawnSync(process.execPath, [script, root, JSON.stringify(after), when, String(step)])
      expect({ signal: child.signal, err: String(child.stderr) }).toEqual({ signal: 'SIGKILL', err: '' })
      for (const [path, text] of Object.entries({ ...before, ...after })) {
        const old: string | undefined = path in before ? before[path as keyof typeof before] : undefined
        if (existsSync(join(root, path)))
          expect([old, text, after[path as keyof typeof after]]).toContain(read(root, path))
      }
      const last = { 'a/one.ts': 'last one\n', 'b/three.ts': 'last three\n' }
      expect(run(root, last)).toMatchObject({ overwritten: [], kept: [] })
      expect(readdirSync(root, { recursive: true }).sort()).toEqual([manifestName, 'a', 'a/one.ts', 'b', 'b/three.ts'])
      expect(readManifest(root)?.next.size).toBe(0)
    },
  )

  test('in its first write leaves nothing that counts as foreign', () => {
    const root = temporaryFolder()
    spawnSync(process.execPath, [script, root, JSON.stringify(after), 'after', '3'])
    expect(run(root, before).written).toHaveLength(3)
  })
})

test('any sequence of runs leaves exactly the files of the last run', () => {
  const record = fc.dictionary(
    fc.constantFrom('a.ts', 'b/c.ts', 'b/d.ts', 'e/f/g.ts'),
    fc.constantFrom('x\n', 'y\n', ''),
  )
  fc.assert(
    fc.property(fc.array(record, { minLength: 1, maxLength: 4 }), sequence => {
      const root = temporaryFolder()
      for (const files of sequence) run(root, files)
      const last = sequence.at(-1) ?? {}
      const found = readdirSync(root, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
      expect(found.map(entry => join(entry.parentPath, entry.name)).sort()).toEqual(
        [manifestName, ...Object.keys(last)].map(path => join(root, path)).sort(),
      )
      for (const [path, text] of Object.entries(last)) expect(read(root, path)).toBe(text)
    }),
    { numRuns: 30 },
  )
})
