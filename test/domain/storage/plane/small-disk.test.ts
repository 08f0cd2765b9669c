import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { storageSettings } from '../../../../server/storage/settings.ts'
import { GivenSettings } from '../../../../server/settings/values.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { testFolder } from '../../../server/store/harness.ts'
import { recheck, standardInstance } from '../recheck.ts'
import { tenantStorage } from '../tenant-storage.ts'

/** The size of the small disk in bytes. */
const diskBytes = 8 * 2 ** 20

/** Whether this process may mount a file system. */
function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const folder = testFolder(() => {})
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const isAllowed = canMount()
if (!isAllowed) console.warn('the tests with a full disk are skipped: this process may not mount a file system')

/** Starts a platform whose content lies on a small disk, which is unmounted at the end of the test. */
async function onSmallDisk() {
  const disk = join(testFolder(), 'disk')
  mkdirSync(disk)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', disk])
  onTestFinished(() => void execFileSync('umount', ['-l', disk]))
  const roots = [{ path: join(disk, 'storage'), location: 'local' }]
  const given = new GivenSettings().with(storageSettings['storage.roots'], roots)
  const tenant = await tenantStorage({}, { config: { given } }, async (admin, platform) => {
    // The first check of the server makes the folder, and finds less free space than the class must keep.
    await expect.poll(async () => (await standardInstance({ admin })).last_check_time, { timeout: 60_000 }).toBeTruthy()
    const body = { native: { min_free_bytes: 0 } }
    await admin.api.storage.updateStorageClass({
      engine: 'native',
      id: 'standard',
      update_mask: 'native.min_free_bytes',
      body,
    })
    await recheck(platform, roots)
  })
  const { id } = await standardInstance(tenant)
  return { disk, tenant, roots, folder: join(disk, 'storage', id) }
}

const size = (bytes: number) => new Uint8Array(bytes).fill(7)

const isFull = async (answer: Response) =>
  expect([answer.status, await answer.text()]).toEqual([507, expect.any(String)])

describe.skipIf(!isAllowed)('a disk that is full', () => {
  it('refuses an upload and a part in the middle, keeps what it has, and takes content again once there is room', async () => {
    const { folder, roots, tenant } = await onSmallDisk()
    const { admin, at, get, platform, put, send, usage } = tenant
    const { storage } = admin.api
    expect((await put('kept', size(3_000_000))).status).toBe(200)
    const before = await usage()
    await isFull(await put('large', size(diskBytes)))
    await isFull(await put('kept', size(diskBytes)))
    const { resource_id: upload_id } = await storage.createMultipartUpload({ ...at, body: { object: 'parts' } })
    const urls = await storage.createPartUrls({
      ...at,
      upload_id,
      body: { parts: [{ part_number: 1 }, { part_number: 2 }] },
    })
    const [first, second] = urls.part_urls
    if (!first || !second) throw new Error('a part has no URL')
    await isFull(await send(first, { body: size(diskBytes) }))
    expect(await usage()).toEqual(before)
    expect(readdirSync(join(folder, 'tmp'))).toEqual([])
    expect((await (await get('kept')).bytes()).length).toBe(3_000_000)
    const etag = (await send(first, { body: size(1_000_000) })).headers.get('etag') ?? ''
    await isFull(await send(second, { body: size(diskBytes) }))
    // Nothing is written by a completion, a copy on the same disk, and a deletion.
    await storage.completeMultipartUpload({ ...at, upload_id, body: { parts: [{ part_number: 1, etag }] } })
    const copy = { source_object: 'kept', destination_object: 'copy' }
    await storage.waitOperation(await storage.copyObject({ ...at, body: copy }))
    expect(await usage()).toMatchObject({ bytes: 7_000_000, object_count: 3 })
    for (const object of ['parts', 'copy']) await storage.deleteObject({ ...at, object })
    expect((await put('new', size(1_000_000))).status).toBe(200)
    await recheck(tenant.platform, roots)
    expect((await standardInstance(tenant)).state).toBe('STORAGE_CLASS_INSTANCE_STATE_READY')
    expect(await doctorFindings(platform.config)).toEqual([])
  })

  it('that becomes read-only is DEGRADED, serves what it has, and is READY once it can be written', async () => {
    const { disk, folder, roots, tenant } = await onSmallDisk()
    const { get, put } = tenant
    await put('kept', 'hello')
    execFileSync('mount', ['-o', 'remount,ro', disk])
    const refused = await put('other', 'hello')
    expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('ENGINE_UNAVAILABLE')])
    await recheck(tenant.platform, roots)
    expect(await standardInstance(tenant)).toMatchObject({
      state: 'STORAGE_CLASS_INSTANCE_STATE_DEGRADED',
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Writable', reason: 'ProbeFailed', message: expect.stringContaining('EROFS') }),
      ]),
    })
    expect(await (await get('kept')).text()).toBe('hello')
    execFileSync('mount', ['-o', 'remount,rw', disk])
    await recheck(tenant.platform, roots)
    expect((await put('other', 'hello')).status).toBe(200)
    expect(statSync(folder).isDirectory()).toBe(true)
  })
})
