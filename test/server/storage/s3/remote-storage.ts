import type { Ninefold } from '../../../../output/client.ts'
import type {
  BucketInput,
  CreatePresignedUploadUrlBodyInput,
  PresignedUrl,
  StorageClassInput,
} from '../../../../output/storage/types.ts'
import { platformWorkspaceId } from '../../../../domain/ports/reserved.ts'
import { addTenant, type Member } from '../../../areas/members.ts'
import { testPlatform, type TestPlatform, type TestPlatformOptions } from '../../../areas/test-platform.ts'
import { keys } from './gateway.ts'

/** A platform with a workspace, and with a storage class on an S3 store. */
export interface RemoteStorage {
  readonly platform: TestPlatform
  readonly admin: Member
  readonly workspace: string
  /** The id of the secret with the keys of the account. */
  readonly secret: string
  /** Creates a bucket; returns the members of a path to it. */
  bucket(name: string, more?: Partial<BucketInput>): Promise<BucketAt>
}

/** The members of a path to a bucket. */
export interface BucketAt {
  readonly workspace: string
  readonly engine: string
  readonly bucket: string
}

const vaultAt = { workspace: platformWorkspaceId, engine: 'native' } as const

/** Creates a secret with a value in the workspace of the platform; returns its id. */
export async function addSecret({ vault }: Pick<Ninefold, 'vault'>, name: string, value: unknown): Promise<string> {
  const { resource_id: secret } = await vault.createSecret({ ...vaultAt, body: { name } })
  const data = Buffer.from(JSON.stringify(value)).toString('base64')
  await vault.addSecretVersion({ ...vaultAt, secret, body: { payload: { data } } })
  return secret
}

/** Returns the body of a storage class on a store at an address. */
export const classBody = (name: string, endpoint: string, secret: string): StorageClassInput => ({
  name,
  tier: 'STORAGE_TIER_HOT',
  is_default: true,
  regions: ['local1'],
  s3: { endpoint, region: 'us-east-1', force_path_style: true, bucket_prefix: 'nf-', credentials_secret_id: secret },
})

/** Starts a platform with a storage class `remote` on the store at an address, whose account has the keys `account`. */
export async function remoteStorage(
  endpoint: string,
  options: TestPlatformOptions = {},
  account: object = keys,
): Promise<RemoteStorage> {
  const platform = await testPlatform(options)
  const admin = await platform.admin()
  const secret = await addSecret(admin.api, 's3-keys', account)
  await admin.api.storage.createStorageClass({ engine: 's3', body: classBody('remote', endpoint, secret) })
  const { workspace } = await addTenant(admin.api, 'acme')
  return {
    platform,
    admin,
    workspace,
    secret,
    async bucket(name, more = {}) {
      const at = { workspace, engine: 's3' }
      const { resource_id } = await admin.api.storage.createBucket({ ...at, body: { name, ...more } })
      return { ...at, bucket: resource_id }
    },
  }
}

/** Sends the request that a URL of an S3 store allows. */
export const send = ({ headers, method, url }: PresignedUrl, init: RequestInit = {}): Promise<Response> => {
  const { 'content-length': _length, ...others } = headers
  return fetch(url, {
    method: method.replace('STORAGE_HTTP_METHOD_', ''),
    ...init,
    headers: { ...others, ...Object.fromEntries(new Headers(init.headers)) },
  })
}

/** Uploads a content over a signed URL; returns the answer of the store. */
export async function put(
  { storage }: Pick<Ninefold, 'storage'>,
  at: BucketAt,
  object: string,
  content: string | Uint8Array<ArrayBuffer>,
  more: Omit<CreatePresignedUploadUrlBodyInput, 'object'> = {},
): Promise<Response> {
  return send(await storage.createPresignedUploadUrl({ ...at, body: { object, ...more } }), { body: content })
}

/** Downloads an object over a signed URL; returns the answer of the store. */
export const get = async (
  { storage }: Pick<Ninefold, 'storage'>,
  at: BucketAt,
  object: string,
  init: RequestInit = {},
): Promise<Response> => send(await storage.createPresignedDownloadUrl({ ...at, body: { object } }), init)

/** Returns the name of a bucket in the store. */
export const remoteNameOf = ({ bucket }: BucketAt): string => `nf-${bucket.replaceAll('-', '')}`
