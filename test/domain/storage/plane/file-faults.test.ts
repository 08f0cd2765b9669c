import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { isEnded } from '../../../../runtime/operations.ts'
import { areas } from '../../../../server/areas.ts'
import { storageArea } from '../../../../server/storage/area.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { lackOf } from '../../../error-families.ts'
import { hostError, watchedCalls, type BeforeCall } from '../../../server/storage/files/watched-calls.ts'
import { recheck, standardInstance } from '../recheck.ts'
import { tenantStorage, type TenantStorage } from '../tenant-storage.ts'

let before: BeforeCall = () => {}
let tenant: TenantStorage
let folder: string

const faulty = areas.map(area =>
  area.domain.name === 'storage' ? storageArea(watchedCalls((call, path) => before(call, path))) : area,
)

const undo: (() => void | Promise<void>)[] = []

beforeAll(async () => {
  tenant = await tenantStorage({}, { areas: faulty, later: each => void undo.push(each) })
  folder = join(tenant.platform.config.dataDir, 'storage', (await standardInstance(tenant)).id)
})

afterAll(async () => {
  for (const each of undo.toReversed()) await each()
})

beforeEach(async () => {
  before = () => {}
  await recheck(tenant.platform)
})

/** Fails calls from the one after `after` such calls on, by their name and the beginning of the path of their file. */
function failing(call: string, path: string, code: string, after = 0): void {
  let left = after
  before = (name, of) => {
    if (name !== call || !relative(folder, of).startsWith(path)) return
    left -= 1
    if (left < 0) throw hostError(code)
  }
}

/** Returns the paths of the files of the instance, in ascending order. */
const files = (): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => !entry.isDirectory())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted()

const state = async () => (await standardInstance(tenant)).state.replace('STORAGE_CLASS_INSTANCE_STATE_', '')

/** Returns the status and the reason of a refusal, whose details are complete. */
async function refusalOf(answer: Response): Promise<readonly [number, string]> {
  const status: { details: readonly { reason?: string }[] } = await answer.json()
  expect(lackOf(status)).toBeUndefined()
  return [answer.status, status.details.find(({ reason }) => reason !== undefined)?.reason ?? '']
}

const full = [507, 'STORAGE_CAPACITY_EXHAUSTED'] as const
const unavailable = [503, 'ENGINE_UNAVAILABLE'] as const

const faults = [
  ['no space for the file', 'open', 'tmp/', 'ENOSPC', 0, full, 'READY'],
  ['no space in the middle', 'writev', 'tmp/', 'ENOSPC', 2, full, 'READY'],
  ['no space at the end', 'sync', 'tmp/', 'ENOSPC', 0, full, 'READY'],
  ['a limit of the size of files', 'writev', 'tmp/', 'EFBIG', 1, full, 'READY'],
  ['no free descriptor', 'open', 'tmp/', 'EMFILE', 0, unavailable, 'READY'],
  ['a failure in the middle', 'writev', 'tmp/', 'EIO', 1, unavailable, 'DEGRADED'],
  ['a failure at the end', 'sync', 'tmp/', 'EIO', 0, unavailable, 'DEGRADED'],
  ['a failure of the rename', 'rename', '', 'EIO', 0, unavailable, 'DEGRADED'],
  ['a read-only disk', 'open', 'tmp/', 'EROFS', 0, unavailable, 'DEGRADED'],
] as const

const large = new Uint8Array(1_000_000).fill(7)

/** The smallest size of a part that is not the last. */
const partBytes = 5 * 2 ** 20

/** Returns the body of a request that sends `large` in chunks, as a client does. */
function inChunks() {
  let at = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at === large.length) return controller.close()
      controller.enqueue(large.subarray(at, at + 200_000))
      at += 200_000
    },
  })
  return { body, duplex: 'half' } as const
}

/** Uploads `large` as an object, in chunks. */
const putLarge = async (object: string): Promise<Response> =>
  tenant.send(await tenant.admin.api.storage.createPresignedUploadUrl({ ...tenant.at, body: { object } }), inChunks())

describe('an upload to a disk with', () => {
  it.each(faults)('%s is refused, and changes nothing', async (name, call, path, code, after, refusal, expected) => {
    const { get, platform, put, usage } = tenant
    await put('kept', `of ${name}`)
    const [filesBefore, usageBefore] = [files(), await usage()]
    failing(call, path, code, after)
    const answer = await putLarge('kept')
    before = () => {}
    expect(await refusalOf(answer)).toEqual(refusal)
    expect(files()).toEqual(filesBefore)
    expect(await usage()).toEqual(usageBefore)
    expect(await (await get('kept')).text()).toBe(`of ${name}`)
    await expect.poll(state).toBe(expected)
    if (expected === 'DEGRADED') {
      expect(await refusalOf(await put('kept', large))).toEqual(unavailable)
      const { api } = tenant.admin
      const bucket = api.storage.createBucket({ ...tenant.at, body: { name: 'second' } })
      await expect(bucket).rejects.toMatchObject({ reason: 'NO_READY_INSTANCE' })
      await recheck(tenant.platform)
      expect(await state()).toBe('READY')
    }
    expect((await put('kept', 'again')).status).toBe(200)
    expect(await doctorFindings(platform.config)).toEqual([])
  })

  it.each(faults)('%s refuses a part, and the upload goes on', async (_, call, path, code, after, refusal) => {
    const { admin, at, get, platform, send, usage } = tenant
    const { storage } = admin.api
    const usageBefore = await usage()
    const { resource_id: upload_id } = await storage.createMultipartUpload({ ...at, body: { object: 'big' } })
    const part = async () => {
      const body = { parts: [{ part_number: 1 }] }
      const [url] = (await storage.createPartUrls({ ...at, upload_id, body })).part_urls
      if (!url) throw new Error('the part has no URL')
      return send(url, inChunks())
    }
    const filesBefore = files()
    failing(call, path, code, after)
    const answer = await part()
    before = () => {}
    expect(await refusalOf(answer)).toEqual(refusal)
    expect(files()).toEqual(filesBefore)
    expect(await usage()).toEqual(usageBefore)
    await expect.poll(async () => (await recheck(tenant.platform), state())).toBe('READY')
    const etag = (await part()).headers.get('etag') ?? ''
    // A completion writes no bytes, so a full disk does not refuse it.
    failing('open', '', 'ENOSPC')
    await storage.completeMultipartUpload({ ...at, upload_id, body: { parts: [{ part_number: 1, etag }] } })
    before = () => {}
    expect((await (await get('big')).bytes()).length).toBe(large.length)
    await storage.deleteObject({ ...at, object: 'big' })
    expect(await doctorFindings(platform.config)).toEqual([])
  })
})

it('a copy from another instance to a full disk fails in the middle, and leaves nothing', async () => {
  const { admin, at, platform, send, workspace } = tenant
  const { storage } = admin.api
  const engine = 'native'
  const storage_class = 'second'
  await storage.createStorageClass({ engine, body: { name: storage_class, tier: 'STORAGE_TIER_COLD' } })
  const instance = await storage.instantiateStorageClass({ storage_class, body: { name: 'far', location: 'local' } })
  await storage.waitOperation(instance)
  const made = await storage.createBucket({ workspace, engine, body: { name: 'far', storage_class } })
  const far = { workspace, engine, bucket: made.resource_id }
  await send(await storage.createPresignedUploadUrl({ ...far, body: { object: 'a' } }), inChunks())
  const body = { source_bucket_id: far.bucket, source_object: 'a', destination_object: 'copy' }
  const copy = async () => {
    const pending = await storage.copyObject({ ...at, body })
    await expect.poll(async () => isEnded(await storage.getOperation(pending)), { timeout: 60_000 }).toBe(true)
    return storage.getOperation(pending)
  }
  const [filesBefore, usageBefore] = [files(), await tenant.usage()]
  for (const [call, path, after] of [
    ['writev', 'tmp/', 2],
    ['sync', 'tmp/', 0],
    ['rename', 'objects/', 0],
  ] as const) {
    failing(call, path, 'ENOSPC', after)
    const ended = await copy()
    before = () => {}
    expect(ended).toMatchObject({
      status: 'STORAGE_OPERATION_STATUS_ERROR',
      errors: [{ code: 6_002_010, reason: 'STORAGE_CAPACITY_EXHAUSTED' }],
    })
    expect(files()).toEqual(filesBefore)
    expect(await tenant.usage()).toMatchObject({ ...usageBefore, as_of_time: expect.any(String) })
  }
  expect(await copy()).toMatchObject({ status: 'STORAGE_OPERATION_STATUS_DONE', errors: [] })
  await storage.deleteObject({ ...at, object: 'copy' })
  expect(await doctorFindings(platform.config)).toEqual([])
})

describe('content whose file is', () => {
  /** Uploads an object, and returns the path of its file. */
  async function uploaded(): Promise<string> {
    const known = new Set(files())
    await putLarge('victim')
    const file = files().find(path => path.startsWith('objects') && !known.has(path))
    if (file === undefined) throw new Error('the object has no file')
    return join(folder, file)
  }

  it.each([
    ['absent', () => {}, 'lacks the file objects/'],
    ['a link to a file of the host', (file: string) => symlinkSync('/etc/hostname', file), 'is no regular file'],
    ['a pipe', (file: string) => execFileSync('mkfifo', [file]), 'is no regular file'],
    ['a folder', (file: string) => mkdirSync(file), 'is no regular file'],
    ['truncated', (file: string) => writeFileSync(file, large.subarray(0, 1000)), 'the file has 1000'],
    ['longer', (file: string) => writeFileSync(file, new Uint8Array(large.length + 1)), 'the file has 1000001'],
  ])('%s is not served, the doctor names it, and the instance stays READY', async (_, make, finding) => {
    const { admin, at, get, platform, put } = tenant
    const file = await uploaded()
    rmSync(file)
    make(file)
    const lines = platform.lines.length
    expect(await refusalOf(await get('victim'))).toEqual(unavailable)
    expect(await state()).toBe('READY')
    expect(platform.lines.slice(lines).join('\n')).toContain('the content files of a storage class instance failed')
    const found = await doctorFindings(platform.config)
    expect(found).toEqual([expect.stringContaining(finding)])
    // The rows are whole: the object is overwritten or deleted as any other.
    expect(await admin.api.storage.getObject({ ...at, object: 'victim' })).toMatchObject({ size: large.length })
    expect((await put('victim', 'new')).status).toBe(200)
    expect(await (await get('victim')).text()).toBe('new')
    rmSync(file, { recursive: true, force: true })
    await admin.api.storage.deleteObject({ ...at, object: 'victim' })
  })

  it.each([
    ['absent', (file: string) => rmSync(file)],
    ['truncated', (file: string) => truncateSync(file, 1000)],
  ])('that of a part, and %s, is served in the ranges of other parts alone', async (_, damage) => {
    const { admin, at, get, platform, send } = tenant
    const { storage } = admin.api
    const { resource_id: upload_id } = await storage.createMultipartUpload({ ...at, body: { object: 'victim' } })
    const numbers = { parts: [{ part_number: 1 }, { part_number: 2 }] }
    const { part_urls } = await storage.createPartUrls({ ...at, upload_id, body: numbers })
    const parts: { part_number: number; etag: string }[] = []
    for (const url of part_urls) {
      const { headers } = await send(url, { body: new Uint8Array(partBytes) })
      parts.push({ part_number: url.part_number, etag: headers.get('etag') ?? '' })
    }
    await storage.completeMultipartUpload({ ...at, upload_id, body: { parts } })
    const second = files().find(path => path.startsWith(`parts/${upload_id}/2.`))
    if (second === undefined) throw new Error('the part has no file')
    damage(join(folder, second))
    expect(await refusalOf(await get('victim'))).toEqual(unavailable)
    expect((await get('victim', { method: 'HEAD' })).status).toBe(503)
    for (const range of [`bytes=${partBytes - 1}-`, 'bytes=-1', `bytes=0-${partBytes}`])
      expect([range, ...(await refusalOf(await get('victim', { headers: { range } })))]).toEqual([
        range,
        ...unavailable,
      ])
    const whole = await get('victim', { headers: { range: `bytes=0-${partBytes - 1}` } })
    expect([whole.status, (await whole.bytes()).length]).toEqual([206, partBytes])
    expect(await state()).toBe('READY')
    expect(await doctorFindings(platform.config)).toEqual([expect.stringContaining(second)])
    await storage.deleteObject({ ...at, object: 'victim' })
    rmSync(join(folder, second), { force: true })
    expect(await doctorFindings(platform.config)).toEqual([])
  })

  it('sound is cut off if the disk fails midway, and the instance is DEGRADED until its next good check', async () => {
    const { get } = tenant
    await uploaded()
    failing('read', 'objects/', 'EIO', 2)
    const answer = await get('victim')
    expect(answer.status).toBe(200)
    await expect(answer.bytes()).rejects.toThrow()
    before = () => {}
    await expect.poll(state).toBe('DEGRADED')
    // Reads of a DEGRADED instance go on.
    expect((await (await get('victim')).bytes()).length).toBe(large.length)
    await recheck(tenant.platform)
    expect(await state()).toBe('READY')
  })

  it('sound is refused for a moment while no descriptor is free', async () => {
    const { get } = tenant
    await uploaded()
    failing('open', 'objects/', 'EMFILE')
    const answer = await get('victim')
    before = () => {}
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(await refusalOf(answer)).toEqual(unavailable)
    expect(await state()).toBe('READY')
  })
})

it('a disk with less free space than its class must keep is READ_ONLY: reads and deletions go on', async () => {
  const { admin, at, get, put } = tenant
  const { storage } = admin.api
  await put('kept', 'hello')
  const engine = 'native'
  const keepFree = (min_free_bytes: number) =>
    storage.updateStorageClass({
      engine,
      id: 'standard',
      update_mask: 'native.min_free_bytes',
      body: { native: { min_free_bytes } },
    })
  await keepFree(Number.MAX_SAFE_INTEGER)
  await recheck(tenant.platform)
  expect(await standardInstance(tenant)).toMatchObject({
    state: 'STORAGE_CLASS_INSTANCE_STATE_READ_ONLY',
    conditions: expect.arrayContaining([
      expect.objectContaining({ type: 'HasFreeSpace', status: 'False', reason: 'TooLittleFreeSpace' }),
    ]),
  })
  expect(await refusalOf(await put('kept', 'x'))).toEqual(full)
  const bucket = storage.createBucket({ ...at, body: { name: 'second' } })
  await expect(bucket).rejects.toMatchObject({ reason: 'NO_READY_INSTANCE', code: 6_001_008 })
  expect(await (await get('kept')).text()).toBe('hello')
  await storage.deleteObject({ ...at, object: 'kept' })
  await keepFree(0)
  await recheck(tenant.platform)
  expect((await put('kept', 'x')).status).toBe(200)
})

it('a folder that is gone is DEGRADED, refuses content, and serves everything once it is back', async () => {
  const { admin, at, get, platform, put } = tenant
  await put('kept', 'hello')
  renameSync(folder, `${folder}-away`)
  await recheck(tenant.platform)
  expect(await standardInstance(tenant)).toMatchObject({
    state: 'STORAGE_CLASS_INSTANCE_STATE_DEGRADED',
    conditions: expect.arrayContaining([
      expect.objectContaining({ type: 'Writable', status: 'False', reason: 'FolderMissing' }),
    ]),
  })
  expect(await refusalOf(await put('kept', 'x'))).toEqual(unavailable)
  expect(await refusalOf(await get('kept'))).toEqual(unavailable)
  expect(await admin.api.storage.getObject({ ...at, object: 'kept' })).toMatchObject({ size: 5 })
  expect(readFileSync(join(`${folder}-away`, 'instance'), 'utf8').trim()).toBe((await standardInstance(tenant)).id)
  renameSync(`${folder}-away`, folder)
  await recheck(tenant.platform)
  expect(await (await get('kept')).text()).toBe('hello')
  expect((await put('kept', 'x')).status).toBe(200)
  expect(await doctorFindings(platform.config)).toEqual([])
})
