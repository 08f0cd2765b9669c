import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { hasGateway, keys, startGateway } from '../../server/storage/s3/gateway.ts'
import { addSecret, classBody } from '../../server/storage/s3/remote-storage.ts'
import { hasSwift, startSwift, swiftKeys } from '../../server/storage/s3/swift.ts'
import { afterTests } from '../../undo.ts'
import { servedBucket, type ServedBucket } from './served-bucket.ts'

const stores = [
  { name: 'versitygw', isThere: hasGateway, start: async () => (await startGateway(afterTests)).url, account: keys },
  { name: 'OpenStack Swift', isThere: hasSwift, start: () => startSwift(afterTests), account: swiftKeys },
]

/** The bytes of a file of three parts. */
const largeBytes = 20 * 1024 * 1024

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

describe.each(stores)('a bucket of the engine s3 in $name', { timeout: 600_000 }, ({ account, isThere, start }) => {
  let docs: ServedBucket
  let at: ServedBucket['at']
  const run = (command: string, ...words: readonly string[]) => docs.run(command, '--engine', 's3', ...words)
  const write = (name: string, content: string | Uint8Array): void => writeFileSync(join(docs.folder, name), content)
  const read = (name: string): Buffer => readFileSync(join(docs.folder, name))

  beforeAll(async () => {
    if (!isThere) return
    const url = await start()
    docs = await servedBucket(afterTests)
    const secret = await addSecret(docs.api, 's3-keys', account)
    await docs.api.storage.createStorageClass({ engine: 's3', body: classBody('remote', url, secret) })
    const { workspace } = docs.at
    const made = await docs.api.storage.createBucket({ workspace, engine: 's3', body: { name: 'far' } })
    at = { workspace, engine: 's3', bucket: made.resource_id }
  }, 600_000)

  it.skipIf(!isThere)('takes and gives files and folders, which are listed and deleted', async () => {
    mkdirSync(join(docs.folder, 'tree', 'deep'), { recursive: true })
    write('tree/with space+plus%25.txt', 'hello')
    write('tree/deep/日本', '')
    expect(await run('cp', '-r', 'tree', 'nf://far/site')).toMatchObject({
      code: 0,
      err: expect.stringContaining('copied 2 files'),
    })
    expect((await run('cp', '-r', 'tree', 'nf://far/site')).err).toBe('copied 0 files, 2 unchanged\n')
    const listed: { readonly name: string; readonly size: number }[] = JSON.parse(
      (await run('ls', '-r', 'nf://far/site/')).out,
    )
    expect(listed.map(({ name, size }) => [name, size])).toEqual([
      ['site/deep/日本', 0],
      ['site/with space+plus%25.txt', 5],
    ])
    expect((await run('cp', '-r', 'nf://far/site', 'back')).err).toContain('copied 2 files')
    expect(read('back/with space+plus%25.txt').toString()).toBe('hello')
    expect(read('back/deep/日本').length).toBe(0)
    expect((await run('cp', 'nf://far/site/with space+plus%25.txt', 'nf://far/copy')).code).toBe(0)
    expect((await run('rm', '-r', 'nf://far/')).err).toBe('deleted 3 files\n')
    expect((await run('ls', 'nf://far/')).out).toBe('[]\n')
  })

  it.skipIf(!isThere)('gives files with equal content, whose long names begin alike', async () => {
    mkdirSync(join(docs.folder, 'alike'))
    const names = Array.from({ length: 8 }, (_, i) => `${'long'.repeat(15)}-${i}`)
    for (const name of names) write(`alike/${name}`, 'equal')
    expect((await run('cp', '-r', 'alike', 'nf://far/alike')).err).toContain('copied 8 files')
    expect((await run('cp', '-r', 'nf://far/alike', 'alike-back')).err).toContain('copied 8 files')
    for (const name of names) expect(read(`alike-back/${name}`).toString()).toBe('equal')
    expect((await run('rm', '-r', 'nf://far/alike/')).code).toBe(0)
  })

  it.skipIf(!isThere)('goes on with the parts of an interrupted upload and download', async () => {
    const content = randomBytes(largeBytes)
    write('large.bin', content)
    for (let i = 0; i < 3; i += 1)
      if (!(await docs.killed(1500, 'cp', '--engine', 's3', '--parallel', '1', 'large.bin', 'nf://far/large.bin')))
        break
    expect((await run('cp', 'large.bin', 'nf://far/large.bin')).code).toBe(0)
    expect(await docs.api.storage.getObjectMetadata({ ...at, object: 'large.bin' })).toMatchObject({
      size: content.length,
      part_count: 3,
    })
    expect((await docs.api.storage.listMultipartUploads(at)).multipart_uploads).toEqual([])
    await docs.killed(1500, 'cp', '--engine', 's3', '--parallel', '1', 'nf://far/large.bin', 'got.bin')
    expect((await run('cp', 'nf://far/large.bin', 'got.bin')).code).toBe(0)
    expect(digest(read('got.bin'))).toBe(digest(content))
    expect((await run('cp', 'large.bin', 'nf://far/large.bin')).err).toBe('copied 0 files, 1 unchanged\n')
  })

  it.skipIf(!isThere)('takes the parts that it has, and sends the others alone', async () => {
    const content = randomBytes(largeBytes)
    write('half.bin', content)
    const body = { object: 'half.bin', content_type: 'application/octet-stream' }
    const { resource_id: upload_id } = await docs.api.storage.createMultipartUpload({ ...at, body })
    const first = content.subarray(0, 8 * 1024 * 1024)
    const { s3 } = await docs.api.storage.getStorageClass({ engine: 's3', id: 'remote' })
    const hasSums = s3?.capabilities.includes('STORAGE_CAPABILITY_CHECKSUM_SHA256') === true
    const sum = hasSums ? { checksum_sha256: createHash('sha256').update(first).digest('base64') } : {}
    const wanted = { parts: [{ part_number: 1, ...sum }] }
    const { part_urls } = await docs.api.storage.createPartUrls({ ...at, upload_id, body: wanted })
    for (const { headers, url } of part_urls) {
      const { 'content-length': _length, ...others } = headers
      expect((await fetch(url, { method: 'PUT', headers: others, body: new Uint8Array(first) })).status).toBe(200)
    }
    expect(await run('cp', 'half.bin', 'nf://far/half.bin')).toMatchObject({
      code: 0,
      err: expect.stringMatching(/, 12\.0 MiB in .*; 8\.0 MiB were there from an interrupted copy\n$/),
    })
    expect(await run('cp', 'nf://far/half.bin', 'whole.bin')).toEqual({
      code: 0,
      out: '',
      err: expect.stringContaining('copied 1 file, 20.0 MiB'),
    })
    expect(digest(read('whole.bin'))).toBe(digest(content))
  })
})
