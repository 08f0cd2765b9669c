import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BucketInput, PresignedUrl } from '../../../../output/storage/types.ts'
import { answersOf, servedPlane, targetOf, type ServedPlane } from './served-plane.ts'

/** The limit of the workspace in bytes. */
const workspaceBytes = 200_000

let plane: ServedPlane
let ends: (() => void | Promise<void>)[] = []

beforeAll(async () => {
  plane = await servedPlane(end => void ends.push(end))
  const scope = { scope_type: 'TAXONOMY_SCOPE_TYPE_WORKSPACE', scope_id: plane.workspace } as const
  await plane.api.taxonomy.createQuotaOverride({ quota: 'storage.bytes', body: { ...scope, limit: workspaceBytes } })
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
  ends = []
})

type At = ServedPlane['at']

async function newBucket(name: string, more: Partial<BucketInput> = {}): Promise<At> {
  const { workspace, engine } = plane.at
  const made = await plane.api.storage.createBucket({ workspace, engine, body: { name, ...more } })
  return { workspace, engine, bucket: made.resource_id }
}

const uploadUrl = (at: At, object = 'a') => plane.api.storage.createPresignedUploadUrl({ ...at, body: { object } })

/** Begins an upload in parts, and returns the URL of its part 1 with each length. */
async function partUrls(at: At, ...lengths: readonly number[]): Promise<PresignedUrl[]> {
  const { resource_id: upload_id } = await plane.api.storage.createMultipartUpload({ ...at, body: { object: 'big' } })
  const urls = lengths.map(async content_length => {
    const parts = [{ part_number: 1, content_length }]
    return (await plane.api.storage.createPartUrls({ ...at, upload_id, body: { parts } })).part_urls
  })
  return (await Promise.all(urls)).flat()
}

/** Announces a body that is never sent, and returns the text that the server sends until the end of an error. */
async function announce({ headers, url }: PresignedUrl, length: number, ...more: readonly string[]): Promise<string> {
  const signed = Object.entries({ host: new URL(url).host, ...headers, 'content-length': `${length}` })
  const lines = [...signed.map(([name, value]) => `${name}: ${value}`), ...more]
  const socket = await plane.open()
  socket.write(`PUT ${targetOf(url)} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  let received = ''
  // The iteration destroys the socket at its end.
  for await (const chunk of socket.setEncoding('latin1')) {
    received += chunk
    if (received.endsWith('}')) break
  }
  return received
}

const send = ({ headers, url }: PresignedUrl, length: number) =>
  fetch(url, { method: 'PUT', headers, body: new Uint8Array(length) })

/** Checks that a body is refused by a quota before its first byte, also if the caller asks before it sends the body. */
async function expectRefused(url: PresignedUrl, length: number, quota: string): Promise<void> {
  for (const more of [[], ['expect: 100-continue']]) {
    const received = await announce(url, length, ...more)
    expect(received).not.toContain('100 Continue')
    expect(answersOf(received)).toEqual(['403 QUOTA_EXCEEDED'])
    expect(received).toContain(`"quota":"${quota}"`)
  }
}

const versionings = ['DISABLED', 'ENABLED', 'SUSPENDED'] as const

describe.each(versionings)('a bucket with a limit and the versioning %s', state => {
  const name = state.toLowerCase()
  /** Makes a bucket in which the object `a` has 10 bytes of at most 12. */
  const full = async (prefix: string, more: Partial<BucketInput> = {}) => {
    const versioning = `STORAGE_VERSIONING_${state}` as const
    const at = await newBucket(`${prefix}-${name}`, { versioning, quota_bytes: 12, ...more })
    expect((await send(await uploadUrl(at), 10)).status).toBe(200)
    return at
  }

  it('refuses a body that has no room, before its first byte', async () => {
    const at = await full('bytes')
    await expectRefused(await uploadUrl(at, 'b'), 3, 'storage.bucketBytes')
    await expectRefused(await uploadUrl(at), 13, 'storage.bucketBytes')
    const [part] = await partUrls(at, 3)
    if (!part) throw new Error('a part has no URL')
    await expectRefused(part, 3, 'storage.bucketBytes')
  })

  it('takes a body at the limit, beside the version before or in its place', async () => {
    const at = await full('fits')
    expect((await send(await uploadUrl(at, 'b'), 2)).status).toBe(200)
    const isKept = state === 'ENABLED'
    expect((await send(await uploadUrl(at), 10)).status).toBe(isKept ? 403 : 200)
    expect((await send(await uploadUrl(at), 9)).status).toBe(isKept ? 403 : 200)
  })

  it('refuses a further object beyond the number of objects', async () => {
    const at = await full('objects', { quota_bytes: 0, quota_objects: 1 })
    await expectRefused(await uploadUrl(at, 'b'), 3, 'storage.bucketObjects')
    expect((await send(await uploadUrl(at), 10)).status).toBe(state === 'ENABLED' ? 403 : 200)
  })
})

it('a part takes the place of the part with its number, at the limit too', async () => {
  const at = await newBucket('parts', { quota_bytes: 12 })
  const [first, less, more] = await partUrls(at, 10, 8, 13)
  if (!first || !less || !more) throw new Error('a part has no URL')
  expect((await send(first, 10)).status).toBe(200)
  await expectRefused(more, 13, 'storage.bucketBytes')
  expect((await send(less, 8)).status).toBe(200)
})

it('the quota of the workspace refuses a body that has no room, before its first byte', async () => {
  const at = await newBucket('workspace')
  const bytes = 150_000
  expect((await send(await uploadUrl(at), bytes)).status).toBe(200)
  await expectRefused(await uploadUrl(at, 'b'), bytes, 'storage.bytes')
  await expectRefused(await uploadUrl(at), workspaceBytes + 1, 'storage.bytes')
  const [part] = await partUrls(at, bytes)
  if (!part) throw new Error('a part has no URL')
  await expectRefused(part, bytes, 'storage.bytes')
  expect((await send(await uploadUrl(at), bytes - 1)).status).toBe(200)
})
