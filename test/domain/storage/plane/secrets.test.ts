import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { signingKeyCollection } from '../../../../domain/storage/presigned/signing-keys.ts'
import type { PresignedUrl } from '../../../../output/storage/types.ts'
import { areas } from '../../../../server/areas.ts'
import { openStoreSnapshot, storeCollections } from '../../../../server/platform-store.ts'
import { recordedActivities } from '../../../areas/activities.ts'
import { functionCaller } from '../../../areas/function-caller.ts'
import { tenantStorage, type TenantStorage } from '../tenant-storage.ts'

/** Returns the text of everything that a platform keeps: all rows, and the files of its store. */
async function everythingOf({ platform: { config } }: TenantStorage): Promise<string> {
  const texts: string[] = []
  const snapshot = await openStoreSnapshot(config, areas)
  for (const collection of storeCollections(areas))
    for await (const { value } of snapshot.each(collection)) texts.push(JSON.stringify(value))
  await snapshot.close()
  for (const name of readdirSync(config.dataDir))
    if (/\.(?:db|sqlite)/.test(name)) texts.push(readFileSync(join(config.dataDir, name), 'latin1'))
  return texts.join('\n')
}

const signatureOf = ({ url }: PresignedUrl): string => new URL(url).searchParams.get('X-Amz-Signature') ?? ''

/** Returns the URL with another signature, which tests find again. */
function marked(url: PresignedUrl, signature: string): PresignedUrl {
  const changed = new URL(url.url)
  changed.searchParams.set('X-Amz-Signature', signature)
  return { ...url, url: changed.href }
}

it('keeps no signature, no URL and no key in its log, its answers, its activities and its store', async () => {
  const caller = functionCaller()
  const tenant = await tenantStorage({}, { areas: caller.areas })
  const { admin, at, platform, send, workspace } = tenant
  const { storage } = admin.api
  const answers: string[] = []
  const told = async (answer: Response) => void answers.push(JSON.stringify([...answer.headers]), await answer.text())

  const upload = await storage.createPresignedUploadUrl({ ...at, body: { object: 'a', content_length: 5 } })
  const download = await storage.createPresignedDownloadUrl({ ...at, body: { object: 'a' } })
  const absent = await storage.createPresignedDownloadUrl({ ...at, body: { object: 'b' } })
  const { resource_id: upload_id } = await storage.createMultipartUpload({ ...at, body: { object: 'c' } })
  const parts = await storage.createPartUrls({ ...at, upload_id, body: { parts: [{ part_number: 1 }] } })
  const used = [upload, download, absent, ...parts.part_urls]
  await told(await send(upload, { body: 'hello' }))
  await told(await send(upload, { body: 'more than signed' }))
  await told(await send(download))
  await told(await send(download, { headers: { range: 'bytes=90-' } }))
  await told(await send(absent))
  for (const url of parts.part_urls) await told(await send(url, { body: 'part' }))
  const forged = ['5'.repeat(63) + 'a', 'marked-signature-of-a-test', `${'f'.repeat(4000)}`]
  for (const signature of forged) {
    await told(await send(marked(download, signature)))
    await told(await send(marked(upload, signature), { body: 'hello' }))
  }
  await expect(
    storage.deleteBucket({ workspace, engine: 'native', id: at.bucket }),
    'a call that fails beside them',
  ).rejects.toMatchObject({ reason: 'BUCKET_NOT_EMPTY' })

  const snapshot = await openStoreSnapshot(platform.config, areas)
  const keys: Buffer[] = []
  for await (const { value } of snapshot.each(signingKeyCollection)) {
    const bytes = await caller.functions('vault').unwrap('storage.signingKeys', value.wrapped)
    keys.push(Buffer.from(bytes))
  }
  await snapshot.close()
  expect(keys.length).toBeGreaterThan(0)

  const places = {
    log: platform.lines.join('\n'),
    answers: answers.join('\n'),
    activities: JSON.stringify(await recordedActivities(platform.config)),
    operations: JSON.stringify(await storage.listOperations({})),
    store: await everythingOf(tenant),
  }
  const secrets = {
    ...Object.fromEntries(used.map((url, i) => [`signature ${i}`, signatureOf(url)])),
    ...Object.fromEntries(forged.map((signature, i) => [`forged signature ${i}`, signature.slice(0, 200)])),
    query: 'X-Amz-Signature=',
    ...Object.fromEntries(
      keys.flatMap((key, i) =>
        (['hex', 'base64', 'base64url', 'latin1'] as const).map(form => [`key ${i} in ${form}`, key.toString(form)]),
      ),
    ),
  }
  const found = Object.entries(places).flatMap(([place, text]) =>
    Object.entries(secrets).flatMap(([name, secret]) => {
      expect(secret.length, name).toBeGreaterThan(10)
      return text.includes(secret) ? [`${place} has ${name}`] : []
    }),
  )
  expect(found).toEqual([])
  // The audit names the object of each signature.
  expect(places.activities).toContain(`${at.bucket}/a`)
})
