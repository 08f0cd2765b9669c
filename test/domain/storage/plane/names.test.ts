import { expect, it } from 'vitest'
import { tenantStorage } from '../tenant-storage.ts'

const names = [
  'a b',
  'a+b',
  '100%',
  '%2F',
  'a:metadata',
  'ключ/ключ.txt',
  '名前',
  '😀/😀',
  "!'()*~-_.",
  'a//b',
  'a/',
  '...',
  'a/.../b',
  'a?b#c&d=e',
  'back\\slash',
  '"quoted"',
  'é',
  'e\u0301',
  'x'.repeat(1024),
  `${'ü'.repeat(511)}ab`,
]

const invalidNames = ['/a', '.', '..', 'a/../b', './a', 'a/.', 'a\nb', 'a\u0085b', 'x'.repeat(1025), 'ü'.repeat(513)]

it('stores, lists and answers objects with every valid name', async () => {
  const { admin, at, get, put } = await tenantStorage()
  const { storage } = admin.api
  for (const name of names) expect([name, (await put(name, name)).status]).toEqual([name, 200])
  const listed = await storage.listObjects({ ...at, page_size: 100 })
  expect(listed.objects.map(({ name }) => name)).toEqual(
    names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  )
  for (const object of names) {
    expect(await (await get(object)).text()).toBe(object)
    expect((await storage.getObject({ ...at, object })).name).toBe(object)
    expect((await storage.getObjectMetadata({ ...at, object })).name).toBe(object)
    expect((await storage.listObjects({ ...at, prefix: object })).objects[0]?.name).toBe(object)
    await storage.deleteObject({ ...at, object })
  }
  expect((await storage.listObjects(at)).objects).toEqual([])
})

it('refuses every other name, in all calls', async () => {
  const { admin, at } = await tenantStorage()
  const { storage } = admin.api
  for (const object of invalidNames) {
    const refusal = { reason: 'OBJECT_NAME_INVALID' }
    await expect(storage.createPresignedUploadUrl({ ...at, body: { object } }), object).rejects.toMatchObject(refusal)
    await expect(storage.createPresignedDownloadUrl({ ...at, body: { object } })).rejects.toMatchObject(refusal)
  }
})
