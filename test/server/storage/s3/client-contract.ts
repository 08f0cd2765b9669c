import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testFolder } from '../../store/harness.ts'
import { get, put, remoteNameOf, send, type RemoteStorage } from './remote-storage.ts'
import { storeClients, type StoreAccount } from './store-clients.ts'

const large = randomBytes(5 * 2 ** 20 + 17)

/** The names of the objects that each side writes. */
const names = ['plain.txt', 'a folder/grüße b+c%25.txt', 'deep/er/日本.bin']

/** Declares the tests that programs of others and the platform read what the other side has written. */
export function declareClientTests(of: () => { readonly remote: RemoteStorage; readonly account: StoreAccount }): void {
  describe.each(storeClients)('%s', (program, open) => {
    const setUp = async () => {
      const { account, remote } = of()
      const at = await remote.bucket(`clients-of-${program}`)
      return { at, api: remote.admin.api, bucket: remoteNameOf(at), client: open(account, testFolder()) }
    }

    it('reads what the platform has written, and writes what the platform reads', { timeout: 180_000 }, async () => {
      const { api, at, bucket, client } = await setUp()
      for (const name of names) expect((await put(api, at, name, `to ${name}`)).status).toBe(200)
      const { resource_id: upload_id } = await api.storage.createMultipartUpload({ ...at, body: { object: 'parts' } })
      const wanted = { parts: [{ part_number: 1 }, { part_number: 2 }] }
      const { part_urls } = await api.storage.createPartUrls({ ...at, upload_id, body: wanted })
      const contents = [large.subarray(0, 5 * 2 ** 20), large.subarray(5 * 2 ** 20)]
      const parts: { part_number: number; etag: string }[] = []
      for (const [i, url] of part_urls.entries()) {
        const answer = await send(url, { body: new Uint8Array(contents[i] ?? []) })
        parts.push({ part_number: url.part_number, etag: answer.headers.get('etag') ?? '' })
      }
      await api.storage.completeMultipartUpload({ ...at, upload_id, body: { parts } })
      for (const name of names) expect(String(await client.read(bucket, name))).toBe(`to ${name}`)
      expect((await client.read(bucket, 'parts')).equals(large)).toBe(true)

      for (const name of names) await client.write(bucket, `of/${name}`, Buffer.from(`of ${name}`))
      await client.write(bucket, 'of/parts', large)
      for (const name of names) expect(await (await get(api, at, `of/${name}`)).text()).toBe(`of ${name}`)
      expect(Buffer.from(await (await get(api, at, 'of/parts')).arrayBuffer()).equals(large)).toBe(true)
      expect(await api.storage.getObject({ ...at, object: 'of/parts' })).toMatchObject({ size: large.length })

      const { objects } = await api.storage.listObjects({ ...at, page_size: 100 })
      expect(objects.map(({ name }) => name)).toEqual(await client.names(bucket))
      await api.storage.deleteObject({ ...at, object: 'of/plain.txt' })
      expect(await client.names(bucket)).not.toContain('of/plain.txt')
    })
  })
}
