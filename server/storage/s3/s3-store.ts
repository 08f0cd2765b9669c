import * as s3 from '@aws-sdk/client-s3'
import { isFault } from '../../../domain/storage/remote-store/remote-fault.ts'
import type {
  RemoteBucket,
  RemoteCompletion,
  RemoteContent,
  RemoteCopy,
  RemoteCredentials,
  RemoteList,
  RemoteName,
  RemotePage,
  RemotePart,
  RemotePartCopy,
  RemotePlace,
  RemoteRequest,
  RemoteSample,
  RemoteStore,
  RemoteObject,
  RemoteUpload,
} from '../../../domain/storage/remote-store/remote-store.ts'
import type { CorsRule } from '../../../output/storage/types.ts'
import { storeTimes, type StoreTimes } from './bounded-client.ts'
import { corsInput, corsOutput } from './cors-rules.ts'
import { listObjects, listVersions } from './list-pages.ts'
import { contentInput, copySource, keyOf, objectOf } from './object-members.ts'
import { signRequest } from './sign-request.ts'
import { longPatienceMs, StoreRequests } from './store-requests.ts'
import {
  abortUpload,
  beginUpload,
  completeUpload,
  copyPart,
  listParts,
  listUploads,
  putPart,
} from './upload-requests.ts'

type Key = Omit<RemoteName, 'versionId'>

/** Opens an account of an S3 store over the SDK of AWS, whose requests take at most `times`. */
export const openS3Store = async (
  place: RemotePlace,
  credentials: RemoteCredentials,
  times: StoreTimes = storeTimes,
): Promise<RemoteStore> => new S3Store(place, credentials, times)

class S3Store implements RemoteStore {
  readonly #requests: StoreRequests
  readonly #client: s3.S3Client

  constructor(place: RemotePlace, credentials: RemoteCredentials, times: StoreTimes) {
    this.#requests = new StoreRequests(place, credentials, times)
    this.#client = this.#requests.client
  }

  async createBucket(bucket: string): Promise<void> {
    await this.#requests.sent(async within => {
      // A store in any other region than the first of AWS wants the region as a constraint.
      const { region } = this.#requests.place
      const constraint = isConstraint(region) ? { CreateBucketConfiguration: { LocationConstraint: region } } : {}
      try {
        await this.#client.send(new s3.CreateBucketCommand({ Bucket: bucket, ...constraint }), within)
      } catch (error) {
        if (!(error instanceof s3.BucketAlreadyOwnedByYou)) throw error
      }
    })
  }

  async hasBucket(bucket: string): Promise<boolean> {
    try {
      await this.#requests.sent(within => this.#client.send(new s3.HeadBucketCommand({ Bucket: bucket }), within))
      return true
    } catch (error) {
      if (isFault(error, 'object', 'bucket')) return false
      throw error
    }
  }

  async deleteBucket(bucket: string): Promise<void> {
    await this.#requests.sent(within => this.#client.send(new s3.DeleteBucketCommand({ Bucket: bucket }), within))
  }

  async *buckets(): AsyncGenerator<RemoteBucket, void, undefined> {
    // Many stores answer all buckets at once, whatever number is asked for.
    const { Buckets = [] } = await this.#requests.sent(within =>
      this.#client.send(new s3.ListBucketsCommand({}), within),
    )
    for (const { CreationDate, Name } of Buckets)
      if (Name !== undefined) yield { name: Name, createdMs: CreationDate?.getTime() ?? Date.now() }
  }

  async versioning(bucket: string): Promise<'Enabled' | 'Suspended' | undefined> {
    const { Status } = await this.#requests.sent(within =>
      this.#client.send(new s3.GetBucketVersioningCommand({ Bucket: bucket }), within),
    )
    return Status
  }

  async setVersioning(bucket: string, status: 'Enabled' | 'Suspended'): Promise<void> {
    const input = { Bucket: bucket, VersioningConfiguration: { Status: status } }
    await this.#requests.sent(within => this.#client.send(new s3.PutBucketVersioningCommand(input), within))
  }

  async corsRules(bucket: string): Promise<readonly CorsRule[]> {
    return this.#requests.sent(async within => {
      try {
        return corsOutput(await this.#client.send(new s3.GetBucketCorsCommand({ Bucket: bucket }), within))
      } catch (error) {
        if (error instanceof s3.S3ServiceException && error.name === 'NoSuchCORSConfiguration') return []
        throw error
      }
    })
  }

  async setCorsRules(bucket: string, rules: readonly CorsRule[]): Promise<void> {
    await this.#requests.sent(async within => {
      if (rules.length === 0) {
        await this.#client.send(new s3.DeleteBucketCorsCommand({ Bucket: bucket }), within)
        return
      }
      const input = { Bucket: bucket, CORSConfiguration: { CORSRules: rules.map(corsInput) } }
      await this.#client.send(new s3.PutBucketCorsCommand(input), within)
    })
  }

  objects(bucket: string, list: RemoteList): Promise<RemotePage> {
    return this.#requests.sent(within => listObjects(this.#client, bucket, list, within))
  }

  versions(bucket: string, list: RemoteList): Promise<RemotePage> {
    return this.#requests.sent(within => listVersions(this.#client, bucket, list, within))
  }

  read(name: RemoteName): Promise<RemoteObject> {
    const input = { ...keyOf(name), ChecksumMode: 'ENABLED' } as const
    return this.#requests.sent(async within =>
      objectOf(name.object, await this.#client.send(new s3.HeadObjectCommand(input), within)),
    )
  }

  range(name: RemoteName, first: number, last: number): Promise<string> {
    const input = { ...keyOf(name), Range: `bytes=${first}-${last}` }
    return this.#requests.sent(async within => {
      const { Body } = await this.#client.send(new s3.GetObjectCommand(input), within)
      return (await Body?.transformToString()) ?? ''
    })
  }

  bytes(
    name: RemoteName,
    { etag, first, last }: { readonly first: number; readonly last: number; readonly etag: string },
  ): Promise<Uint8Array> {
    const input = { ...keyOf(name), Range: `bytes=${first}-${last}`, IfMatch: `"${etag}"` }
    return this.#requests.sent(async within => {
      const { Body } = await this.#client.send(new s3.GetObjectCommand(input), within)
      return (await Body?.transformToByteArray()) ?? new Uint8Array()
    })
  }

  async put({ body, content, ifNoneMatch, sha256, ...name }: RemoteSample): Promise<void> {
    const conditions = {
      ...(content && { ...contentInput(content), ...this.#requests.classed }),
      ...(ifNoneMatch === true && { IfNoneMatch: '*' }),
      ...(sha256 !== undefined && { ChecksumSHA256: sha256 }),
    }
    await this.#requests.sent(within =>
      this.#client.send(new s3.PutObjectCommand({ ...keyOf(name), Body: body, ...conditions }), within),
    )
  }

  async remove(name: RemoteName): Promise<void> {
    await this.#requests.sent(within => this.#client.send(new s3.DeleteObjectCommand(keyOf(name)), within))
  }

  async copy({ content, source, sourceIfMatch, target }: RemoteCopy): Promise<void> {
    const input = {
      ...keyOf(target),
      CopySource: copySource(source),
      ...(sourceIfMatch !== '' && { CopySourceIfMatch: sourceIfMatch }),
      ...(content && { MetadataDirective: 'REPLACE' as const, ...contentInput(content) }),
      ...this.#requests.classed,
    }
    await this.#requests.sent(within => this.#client.send(new s3.CopyObjectCommand(input), within), longPatienceMs)
  }

  beginUpload(bucket: string, object: string, content: RemoteContent, hasChecksums = false): Promise<string> {
    return beginUpload(this.#requests, { bucket, object }, content, hasChecksums)
  }

  putPart(name: Key, uploadId: string, number: number, body: string | Uint8Array): Promise<string> {
    return putPart(this.#requests, name, uploadId, number, body)
  }

  copyPart(copy: RemotePartCopy): Promise<string> {
    return copyPart(this.#requests, copy)
  }

  parts(name: Key, uploadId: string): AsyncIterable<RemotePart> {
    return listParts(this.#requests, name, uploadId)
  }

  completeUpload(completion: RemoteCompletion): Promise<void> {
    return completeUpload(this.#requests, completion)
  }

  abortUpload(name: Key, uploadId: string): Promise<void> {
    return abortUpload(this.#requests, name, uploadId)
  }

  uploads(bucket: string): AsyncIterable<RemoteUpload> {
    return listUploads(this.#requests, bucket)
  }

  sign(request: RemoteRequest): Promise<string> {
    return signRequest(this.#client, this.#requests.place, request)
  }

  close(): void {
    this.#client.destroy()
  }
}

/** Whether a text is a region that the creation of a bucket must name: any but the first region of AWS. */
const isConstraint = (region: string): region is s3.BucketLocationConstraint => region !== 'us-east-1'
