import { lstatSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { tenantStorage } from '../../tenant-storage.ts'

/** Returns the kind, the permissions and the path of each entry below a folder, and of the folder itself. */
function entriesOf(folder: string): readonly string[] {
  const below = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(path => join(folder, path))
  return [folder, ...below].map(path => {
    const stats = lstatSync(path)
    return `${stats.isDirectory() ? 'folder' : 'file'} ${(stats.mode & 0o777).toString(8)} ${relative(folder, path)}`
  })
}

it.skipIf(process.platform === 'win32')('only the user of the server can read the files of content', async () => {
  // Without a mask, files have exactly the permissions that the server asks for.
  const mask = process.umask(0)
  onTestFinished(() => void process.umask(mask))
  const tenant = await tenantStorage()
  const { admin, at, platform, put, send } = tenant
  const { storage } = admin.api
  await put('a', 'hello')
  await storage.copyObject({ ...at, body: { source_object: 'a', destination_object: 'b' } })
  const { resource_id: upload_id } = await storage.createMultipartUpload({ ...at, body: { object: 'c' } })
  const { part_urls } = await storage.createPartUrls({ ...at, upload_id, body: { parts: [{ part_number: 1 }] } })
  for (const url of part_urls) await send(url, { body: 'part' })
  const second = { name: 'second', tier: 'STORAGE_TIER_COLD' } as const
  await storage.createStorageClass({ engine: 'native', body: second })
  const instance = { name: 'far', location: 'local' }
  await storage.waitOperation(await storage.instantiateStorageClass({ storage_class: 'second', body: instance }))
  const folder = join(platform.config.dataDir, 'storage')
  const end = Promise.withResolvers<void>()
  let isBegun = false
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (isBegun) {
        await end.promise
        return controller.close()
      }
      isBegun = true
      controller.enqueue(new Uint8Array(300_000))
    },
  })
  const url = await storage.createPresignedUploadUrl({ ...at, body: { object: 'd' } })
  const sending = send(url, { body, duplex: 'half' } as RequestInit)
  const inProgress = () => entriesOf(folder).filter(entry => /^file \d+ [^/]+\/tmp\/[\da-f-]{36}$/.test(entry))
  await expect.poll(inProgress).toHaveLength(1)
  const entries = entriesOf(folder)
  end.resolve()
  expect((await sending).status).toBe(200)
  const seen = [...entries, ...entriesOf(folder)]
  expect(seen.filter(entry => !/^(?:folder 700|file 600) /.test(entry))).toEqual([])
  for (const kind of [/^file .*\/objects\//, /^file .*\/parts\//, /^file .*\/instance$/, /^folder .*\/parts\/.+/])
    expect([kind, seen.some(entry => kind.test(entry))]).toEqual([kind, true])
})
