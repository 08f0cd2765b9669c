import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ContentFault } from '../../../../domain/storage/contents/content-files.ts'
import { ContentFolders } from '../../../../server/storage/files/content-folders.ts'
import { hostError, watchedCalls, type BeforeCall } from './watched-calls.ts'

const instance = '0199c5b0-0000-7000-8000-000000000001'

let root: string
let reported: ContentFault[]

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ninefold-faults-'))
  reported = []
  for (const folder of ['tmp', 'objects', 'parts']) mkdirSync(join(root, folder))
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

const foldersWith = (before: BeforeCall) =>
  new ContentFolders(id => (id === instance ? root : undefined), {
    calls: watchedCalls((call, path) => before(call, relative(root, path))),
    report: fault => void reported.push(fault),
  })

const receiving = { instance, syncMode: 'FULL', maxBytes: 2 ** 30, tooLong: () => new Error('too long') } as const

async function* body(chunks = 10) {
  for (let i = 0; i < chunks; i += 1) yield new Uint8Array(100_000)
}

/** Receives a body, and moves its file to its place, as an upload does. */
async function keep(files: ContentFolders): Promise<void> {
  const { path } = await files.receive(body(), receiving)
  await files.move(instance, path, 'objects/0f/a')
}

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => !entry.isDirectory())
    .map(({ name }) => name)

describe('the order of the calls on files', () => {
  it.each([
    ['FULL', 'sync'],
    ['DATA', 'datasync'],
  ] as const)(
    'makes content durable before its name, and its name before the commit, in mode %s',
    async (mode, sync) => {
      const calls: string[] = []
      const files = foldersWith((call, path) => void calls.push(`${call} ${path.replace(/^tmp\/.+/, 'tmp/file')}`))
      const { path } = await files.receive(body(1), { ...receiving, syncMode: mode })
      await files.move(instance, path, 'objects/0f/a')
      expect(calls).toEqual([
        // The folder may have been deleted, so it is made, and its name becomes durable.
        'mkdir tmp',
        'open ',
        'sync ',
        'close ',
        'open tmp/file',
        'writev tmp/file',
        `${sync} tmp/file`,
        'close tmp/file',
        'mkdir objects/0f',
        'open objects',
        'sync objects',
        'close objects',
        'rename objects/0f/a',
        'open objects/0f',
        'sync objects/0f',
        'close objects/0f',
      ])
      calls.length = 0
      await keep(files)
      expect(calls.filter(call => call.startsWith('mkdir'))).toEqual([])
      expect(calls.at(-1)).toBe('close objects/0f')
    },
  )

  it('holds a bounded number of bytes, and one descriptor for an upload', async () => {
    let open = 0
    let most = 0
    const files = foldersWith(call => {
      if (call === 'open') open += 1
      if (call === 'close') open -= 1
      most = Math.max(most, open)
    })
    await keep(files)
    expect([open, most]).toEqual([0, 1])
  })
})

/** A call that fails: its name, the beginning of its path, and after how many such calls. */
const faults: readonly (readonly [string, string, string, number, string, ContentFault['kind']])[] = [
  ['no space for the file', 'open', 'tmp/', 0, 'ENOSPC', 'full'],
  ['no space in the middle', 'writev', 'tmp/', 3, 'ENOSPC', 'full'],
  ['no space at the end', 'sync', 'tmp/', 0, 'ENOSPC', 'full'],
  ['no space for the name', 'rename', 'objects/', 0, 'ENOSPC', 'full'],
  ['no space for a folder', 'mkdir', 'objects/', 0, 'ENOSPC', 'full'],
  ['a quota of the host', 'writev', 'tmp/', 1, 'EDQUOT', 'full'],
  ['a limit of the size of files', 'writev', 'tmp/', 1, 'EFBIG', 'full'],
  ['no free descriptor of the process', 'open', 'tmp/', 0, 'EMFILE', 'busy'],
  ['no free descriptor of the host', 'open', 'objects', 0, 'ENFILE', 'busy'],
  ['a disk that cannot write', 'writev', 'tmp/', 2, 'EIO', 'failed'],
  ['a disk that cannot keep the bytes', 'sync', 'tmp/', 0, 'EIO', 'failed'],
  ['a disk that fails at the close', 'close', 'tmp/', 0, 'EIO', 'failed'],
  ['a disk that cannot rename', 'rename', 'objects/', 0, 'EIO', 'failed'],
  ['a disk that cannot keep the name', 'sync', 'objects', 0, 'EIO', 'failed'],
  ['a disk that is read-only', 'open', 'tmp/', 0, 'EROFS', 'failed'],
  ['an absent folder', 'open', 'tmp/', 0, 'ENOENT', 'failed'],
]

describe('an upload to', () => {
  it.each(faults)(
    '%s is a fault, reported once, and leaves no temporary file',
    async (_, call, path, after, code, kind) => {
      let left = after
      const files = foldersWith((name, of) => {
        if (name !== call || !of.startsWith(path)) return
        left -= 1
        if (left < 0) throw hostError(code)
      })
      await expect(keep(files)).rejects.toMatchObject({ name: 'ContentFault', kind, instance })
      expect(reported.map(fault => fault.kind)).toEqual([kind])
      // A caller of `move` deletes the file; `receive` alone must leave none.
      expect(filesBelow('tmp').length).toBe(path.startsWith('objects') ? 1 : 0)
    },
  )

  it('a disk that is back works again', async () => {
    let isDown = true
    const files = foldersWith(call => {
      if (isDown && call === 'rename') throw hostError('EIO')
    })
    await expect(keep(files)).rejects.toMatchObject({ kind: 'failed' })
    isDown = false
    // Another, empty disk stands at the place of the disk before.
    rmSync(join(root, 'objects'), { recursive: true })
    mkdirSync(join(root, 'objects'))
    await keep(files)
    expect(filesBelow('objects')).toEqual(['a'])
  })
})

describe('content whose file is', () => {
  const file = () => join(root, 'objects', 'a')

  it.each([
    ['absent', () => {}],
    ['a link to another file', () => symlinkSync('/etc/hostname', file())],
    ['a dangling link', () => symlinkSync('absent', file())],
    ['a pipe, whose opening would wait for a writer', () => execFileSync('mkfifo', [file()])],
    ['a folder', () => mkdirSync(file())],
    ['shorter than its row says', () => writeFileSync(file(), 'ab')],
    ['longer than its row says', () => writeFileSync(file(), 'abcd')],
  ])('%s is lost, also as a later file of a content', async (_, make) => {
    make()
    const files = foldersWith(() => {})
    const lost = { path: 'objects/a', size: 3 }
    await expect(files.open(instance, [lost])).rejects.toMatchObject({ name: 'ContentFault', kind: 'lost' })
    // The caller may find another content, and so reports a lost content itself.
    expect(reported).toEqual([])
    writeFileSync(join(root, 'parts', 'first'), 'first')
    const content = await files.open(instance, [{ path: 'parts/first', size: 5 }, lost])
    await expect(new Response(content.stream(0, 7)).bytes()).rejects.toMatchObject({ kind: 'lost' })
    expect(reported.map(({ kind }) => kind)).toEqual(['lost'])
    // The failed reader no longer keeps the files.
    expect(await files.remove(instance, ['parts/first'])).toBe(true)
  })

  it.each([
    ['open', 'EMFILE', 'busy'],
    ['open', 'EIO', 'failed'],
    ['stat', 'EIO', 'failed'],
  ] as const)('sound is a fault of the host if %s fails with %s', async (failing, code, kind) => {
    writeFileSync(file(), 'abc')
    const files = foldersWith(call => {
      if (call === failing) throw hostError(code)
    })
    await expect(files.open(instance, [{ path: 'objects/a', size: 3 }])).rejects.toMatchObject({ kind })
    expect(reported.map(fault => fault.kind)).toEqual([kind])
  })

  it('sound ends its stream with a fault if the disk fails midway', async () => {
    writeFileSync(file(), new Uint8Array(300_000))
    let reads = 0
    const files = foldersWith(call => {
      if (call === 'read' && (reads += 1) === 2) throw hostError('EIO')
    })
    const content = await files.open(instance, [{ path: 'objects/a', size: 300_000 }])
    await expect(new Response(content.stream(0, 299_999)).bytes()).rejects.toMatchObject({ kind: 'failed' })
    expect(reported.map(({ kind }) => kind)).toEqual(['failed'])
  })
})
