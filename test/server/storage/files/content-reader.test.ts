import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ContentFault } from '../../../../domain/storage/contents/content-files.ts'
import { ContentFolders } from '../../../../server/storage/files/content-folders.ts'
import type { hostCalls } from '../../../../server/storage/files/file-calls.ts'
import { hostError, watchedCalls } from './watched-calls.ts'

const instance = '0199c5b0-0000-7000-8000-000000000001'
const sizes = [300_000, 0, 300_000, 10]
const size = sizes.reduce((sum, each) => sum + each)
const files = sizes.map((each, at) => ({ path: `parts/${at}`, size: each }))

let root: string
let reported: ContentFault[]
/** The numbers of opened and of closed files. */
let opened: number
let closed: number
/** Runs before a call on a file, and may take its time. */
let delay: (call: string) => Promise<void> | void
let folders: ContentFolders

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ninefold-reader-'))
  mkdirSync(join(root, 'parts'))
  for (const file of files) writeFileSync(join(root, file.path), new Uint8Array(file.size))
  reported = []
  opened = 0
  closed = 0
  delay = () => {}
  const watched = watchedCalls(call => {
    if (call === 'close') closed += 1
  })
  const calls = {
    ...watched,
    async open(...given: Parameters<typeof hostCalls.open>) {
      await delay('open')
      const handle = await watched.open(...given)
      opened += 1
      await delay('opened')
      return handle
    },
  }
  folders = new ContentFolders(() => root, { calls, report: fault => void reported.push(fault) })
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

/** Returns a promise that is fulfilled when a call on files begins for the `nth` time, and the call goes on at `go`. */
function held(call: string, nth: number) {
  const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let left = nth
  delay = each => {
    if (each !== call || (left -= 1) !== 0) return
    reached.resolve()
    return go.promise
  }
  return { reached: reached.promise, go: go.resolve }
}

const opening = [
  ['open', 1],
  ['opened', 1],
  ['open', 2],
  ['opened', 2],
  ['open', 3],
  ['opened', 3],
] as const

describe('a content of several files', () => {
  it.each(opening)('whose reader leaves at the call %s number %i leaves no file open', async (call, nth) => {
    const content = await folders.open(instance, files)
    const { go, reached } = held(call, nth)
    const reader = content.stream(0, size - 1).getReader()
    const reading = (async () => {
      while (!(await reader.read()).done);
    })()
    await reached
    const left = reader.cancel()
    go()
    await Promise.all([left, reading])
    await expect.poll(() => [opened, closed]).toEqual([nth, nth])
    expect(reported).toEqual([])
    expect(await folders.remove(instance, ['parts/0'])).toBe(true)
  })

  it.each(opening)('that is closed at the call %s number %i leaves no file open', async (call, nth) => {
    const content = await folders.open(instance, files)
    const { go, reached } = held(call, nth)
    const reader = content.stream(0, size - 1).getReader()
    const readAll = async () => {
      while (!(await reader.read()).done);
    }
    const outcome = Promise.allSettled([readAll()])
    await reached
    const left = content.close()
    go()
    await left
    await expect.poll(() => [opened, closed]).toEqual([nth, nth])
    const reason = expect.objectContaining({ name: 'ClosedContent' })
    expect(await outcome).toEqual([{ status: 'rejected', reason }])
    expect(reported).toEqual([])
  })

  it('closes each file before the next, and all files when a file fails', async () => {
    const content = await folders.open(instance, files)
    expect((await new Response(content.stream(0, size - 1)).bytes()).length).toBe(size)
    expect([opened, closed]).toEqual([3, 3])
    let left = 2
    delay = call => {
      if (call === 'open' && (left -= 1) === 0) throw hostError('EIO')
    }
    const failing = await folders.open(instance, files)
    await expect(new Response(failing.stream(0, size - 1)).bytes()).rejects.toThrow()
    expect(opened - closed).toBe(0)
    expect(reported).toMatchObject([{ kind: 'failed' }])
  })
})
