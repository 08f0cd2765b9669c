import { setTimeout as nextPoll } from 'node:timers/promises'
import { Ninefold } from '../../../output/client.ts'
import type { BucketInput, CreatePresignedUploadUrlBodyInput, PresignedUrl } from '../../../output/storage/types.ts'
import { addTenant, type Member } from '../../areas/members.ts'
import { testPlatform, type TestPlatform, type TestPlatformOptions } from '../../areas/test-platform.ts'

/** A platform with a workspace and a bucket, and the calls of objects in the bucket. */
export interface TenantStorage {
  readonly platform: TestPlatform
  readonly admin: Member
  readonly workspace: string
  /** The members of a path to the bucket. */
  readonly at: { readonly workspace: string; readonly engine: string; readonly bucket: string }
  /** Sends a request over a presigned URL, with the headers that the URL demands and further headers. */
  send(url: PresignedUrl, init?: RequestInit): Promise<Response>
  /** Uploads a content as an object; returns the answer. */
  put(object: string, content: string | Uint8Array<ArrayBuffer>, more?: Upload): Promise<Response>
  /** Downloads an object; returns the answer. */
  get(object: string, init?: RequestInit): Promise<Response>
  /** Returns the usage of the bucket. */
  usage(): Promise<Record<string, unknown>>
}

type Upload = Omit<CreatePresignedUploadUrlBodyInput, 'object'>

/** Starts a platform with a workspace and a bucket. `prepare` runs before the bucket is created. */
export async function tenantStorage(
  bucket: Partial<BucketInput> = {},
  options: TestPlatformOptions = {},
  prepare: (admin: Member, platform: TestPlatform) => Promise<void> = async () => {},
): Promise<TenantStorage> {
  const platform = await testPlatform(options)
  const admin = await platform.admin()
  const { storage } = admin.api
  await prepare(admin, platform)
  // A server that stalls on a loaded machine refuses calls for a moment, without any effect.
  const patient = new Ninefold(platform.transport(admin.token, { retries: 5, fetch: platform.from('192.0.2.7') }))
  const { workspace } = await addTenant(patient, 'acme')
  const made = await patient.storage.createBucket({ workspace, engine: 'native', body: { name: 'docs', ...bucket } })
  const at = { workspace, engine: 'native', bucket: made.resource_id }
  const send = ({ headers, method, url }: PresignedUrl, init: RequestInit = {}) =>
    platform.from('')(url, {
      method: method.replace('STORAGE_HTTP_METHOD_', ''),
      ...init,
      headers: { host: new URL(url).host, ...headers, ...Object.fromEntries(new Headers(init.headers)) },
    })
  await served(async () => send(await storage.createPresignedDownloadUrl({ ...at, body: { object: 'absent' } })))
  return {
    platform,
    admin,
    workspace,
    at,
    send,
    put: async (object, body, more = {}) =>
      send(await storage.createPresignedUploadUrl({ ...at, body: { object, ...more } }), { body }),
    get: async (object, init) => send(await storage.createPresignedDownloadUrl({ ...at, body: { object } }), init),
    usage: async () => ({ ...(await storage.getBucket({ ...at, id: at.bucket })).usage }),
  }
}

/** Waits until the server serves content: it takes the lease of the content soon after its start. */
async function served(read: () => Promise<Response>): Promise<void> {
  const until = performance.now() + 60_000
  while ((await read()).status === 503) {
    if (performance.now() > until) throw new Error('the server does not serve content')
    await nextPoll(10)
  }
}
