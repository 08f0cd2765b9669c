import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ContentFault } from '../../../../domain/storage/contents/content-files.ts'
import { crc32c } from '../../../../domain/resources/crc32c.ts'
import { ContentFolders } from '../../../../server/storage/files/content-folders.ts'
import { hostError, watchedCalls } from './watched-calls.ts'

const instance = '0199c5b0-0000-7000-8000-000000000001'

let root: string
let files: ContentFolders

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ninefold-contents-'))
  for (const folder of ['tmp', 'objects', 'parts']) mkdirSync(join(root, folder))
  files = new ContentFolders(id => (id === instance ? root : undefined))
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

async function* chunked(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield new Uint8Array(bytes.subarray(at, at + size))
}

const tooLong = () => new RangeError('too long')

const receive = (bytes: Uint8Array, { chunk = 65_536, maxBytes = Number.MAX_SAFE_INTEGER } = {}) =>
  files.receive(chunked(bytes, chunk), { instance, syncMode: 'FULL', maxBytes, tooLong })

const bytesOf = (length: number): Uint8Array<ArrayBuffer> => Uint8Array.from({ length }, (_, at) => (at * 31) % 251)

const textOf = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) =>
  Buffer.from(await new Response(stream).bytes())

describe('a received content', () => {
  it.each([0, 1, 131_071, 131_072, 131_073, 1_000_003])('of %i bytes has its digests and bytes', async length => {
    const bytes = bytesOf(length)
    const file = await receive(bytes, { chunk: 10_007 })
    expect(file).toMatchObject({
      size: length,
      digests: {
        md5: createHash('md5').update(bytes).digest('hex'),
        sha256: createHash('sha256').update(bytes).digest('base64'),
        crc32c: crc32c(bytes),
      },
    })
    await files.move(instance, file.path, 'objects/0f/content')
    const content = await files.open(instance, [{ path: 'objects/0f/content', size: length }])
    expect((await textOf(content.stream(0, length - 1))).equals(bytes)).toBe(true)
    expect(readdirSync(join(root, 'tmp'))).toEqual([])
  })

  it('is refused at the first byte over its limit, and leaves no file', async () => {
    await expect(receive(bytesOf(10), { maxBytes: 10 })).resolves.toMatchObject({ size: 10 })
    const before = readdirSync(join(root, 'tmp'))
    await expect(receive(bytesOf(11), { chunk: 1, maxBytes: 10 })).rejects.toThrow('too long')
    expect(readdirSync(join(root, 'tmp'))).toEqual(before)
  })

  it('leaves the memory of chunks to a sender that uses them again', async () => {
    const chunk = bytesOf(200_000)
    async function* repeating() {
      yield chunk
      yield chunk
    }
    const file = await files.receive(repeating(), { instance, syncMode: 'DATA', maxBytes: 1_000_000, tooLong })
    expect([file.size, chunk.length]).toEqual([400_000, 200_000])
  })

  it('leaves no file when its sender fails', async () => {
    async function* failing() {
      yield new Uint8Array(200_000)
      throw new Error('the connection is cut')
    }
    const receiving = { instance, syncMode: 'DATA', maxBytes: 1_000_000, tooLong } as const
    await expect(files.receive(failing(), receiving)).rejects.toThrow('the connection is cut')
    expect(readdirSync(join(root, 'tmp'))).toEqual([])
  })

  it('of an instance without a folder on this server fails', async () => {
    const receiving = { instance: 'another', syncMode: 'FULL', maxBytes: 10, tooLong } as const
    await expect(files.receive(chunked(bytesOf(1), 1), receiving)).rejects.toThrow(ContentFault)
  })
})

describe('an open content', () => {
  it('has the bytes of a range over the borders of its files', async () => {
    const bytes = bytesOf(300_000)
    const parts = [bytes.subarray(0, 100_000), bytes.subarray(100_000, 100_000), bytes.subarray(100_000)]
    const list = parts.map((part, at) => {
      writeFileSync(join(root, 'parts', `${at}`), part)
      return { path: `parts/${at}`, size: part.length }
    })
    for (const [first, last] of [
      [0, 299_999],
      [99_999, 100_000],
      [100_000, 299_999],
      [5, 5],
      [150_000, 299_998],
    ] as const) {
      const content = await files.open(instance, list)
      const read = await textOf(content.stream(first, last))
      expect(read.equals(bytes.subarray(first, last + 1))).toBe(true)
    }
    expect(await files.remove(instance, ['parts/0'])).toBe(true)
  })

  it('in one file is read to its end although the file is deleted', async () => {
    const bytes = bytesOf(500_000)
    writeFileSync(join(root, 'objects', 'a'), bytes)
    const content = await files.open(instance, [{ path: 'objects/a', size: bytes.length }])
    expect(await files.remove(instance, ['objects/a', 'objects/absent'])).toBe(true)
    expect(existsSync(join(root, 'objects', 'a'))).toBe(false)
    expect((await textOf(content.stream(0, 499_999))).equals(bytes)).toBe(true)
  })

  it('in several files keeps them until its reader ends or gives up', async () => {
    const list = [0, 1].map(at => {
      writeFileSync(join(root, 'parts', `${at}`), bytesOf(10))
      return { path: `parts/${at}`, size: 10 }
    })
    const content = await files.open(instance, list)
    expect(await files.remove(instance, ['parts/1'])).toBe(false)
    await content.stream(0, 19).cancel()
    expect(await files.remove(instance, ['parts/0', 'parts/1'])).toBe(true)
  })

  it('in several files is lost as a whole for a reader that comes during its deletion', async () => {
    const list = [0, 1].map(at => {
      writeFileSync(join(root, 'parts', `${at}`), bytesOf(10))
      return { path: `parts/${at}`, size: 10 }
    })
    const late: Promise<string>[] = []
    const begin = (call: string) =>
      call === 'rm' && late.push(files.open(instance, list).then(String, ({ kind }: ContentFault) => kind))
    files = new ContentFolders(() => root, { calls: watchedCalls(begin) })
    const paths = list.map(({ path }) => path)
    expect(await files.remove(instance, paths)).toBe(true)
    expect(await Promise.all(late)).toEqual(['lost', 'lost'])
    expect(existsSync(join(root, 'parts', '1'))).toBe(false)
  })

  it('in several files is readable after a deletion that failed', async () => {
    writeFileSync(join(root, 'parts', '0'), bytesOf(10))
    writeFileSync(join(root, 'parts', '1'), bytesOf(10))
    const refuse = (call: string) => {
      if (call === 'rm') throw hostError('EIO')
    }
    files = new ContentFolders(() => root, { calls: watchedCalls(refuse) })
    await expect(files.remove(instance, ['parts/0', 'parts/1'])).rejects.toMatchObject({ kind: 'failed' })
    const content = await files.open(
      instance,
      [0, 1].map(at => ({ path: `parts/${at}`, size: 10 })),
    )
    expect(await textOf(content.stream(0, 19))).toHaveLength(20)
  })

  it.each([
    ['absent', () => {}],
    ['a link', () => symlinkSync('/etc/hostname', join(root, 'objects', 'a'))],
  ])('whose file is %s is a fault', async (_, make) => {
    make()
    await expect(files.open(instance, [{ path: 'objects/a', size: 3 }])).rejects.toThrow(ContentFault)
  })
})

describe('a folder that takes no file', () => {
  // The superuser may write everywhere.
  it.skipIf(process.getuid?.() === 0)('is a fault of the content', async () => {
    chmodSync(join(root, 'tmp'), 0o500)
    await expect(receive(bytesOf(1))).rejects.toMatchObject({ kind: 'failed' })
  })
})

it('deletes the folder of an upload with its last file, and makes the folder again for a further part', async () => {
  const part = async (path: string) => {
    const { path: from } = await receive(bytesOf(10))
    await files.move(instance, from, path)
  }
  await part('parts/upload/1.a')
  await part('parts/upload/2.b')
  await files.remove(instance, ['parts/upload/1.a'])
  expect(readdirSync(join(root, 'parts/upload'))).toEqual(['2.b'])
  await files.remove(instance, ['parts/upload/2.b'])
  expect(readdirSync(join(root, 'parts'))).toEqual([])
  await part('parts/upload/3.c')
  // Another process may delete the folder, too.
  rmSync(join(root, 'parts/upload'), { recursive: true })
  await part('parts/upload/4.d')
  expect(readdirSync(join(root, 'parts/upload'))).toEqual(['4.d'])
})
