import type { CorsRule, CustomMetadata } from '../../../output/storage/types.ts'

/** The keys of an account of an S3 store. */
export interface RemoteCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** The place of an S3 store. */
export interface RemotePlace {
  /** An http or https URL. */
  readonly endpoint: string
  /** The region of every signature. */
  readonly region: string
  /** Whether the bucket stands in the path of URLs instead of the host. */
  readonly forcePathStyle: boolean
  /** The storage class of new objects; empty: the class that the store chooses. */
  readonly storageClass: string
}

/** A bucket of the account. */
export interface RemoteBucket {
  readonly name: string
  readonly createdMs: number
}

/** A version of an object as a list shows it. */
export interface RemoteVersion {
  readonly name: string
  /** The id that the store gave; `null` for a version of a bucket without versioning. */
  readonly versionId: string
  readonly isLatest: boolean
  readonly isDeleteMarker: boolean
  readonly size: number
  /** The ETag without quotes; empty for a delete marker. */
  readonly etag: string
  readonly modifiedMs: number
}

/** A version of an object with its metadata. */
export interface RemoteObject extends Omit<RemoteVersion, 'isDeleteMarker' | 'isLatest'> {
  readonly contentType: string
  readonly contentEncoding: string
  readonly contentDisposition: string
  readonly contentLanguage: string
  readonly cacheControl: string
  readonly metadata: CustomMetadata
  /** Base64; of an upload in parts with `-` and the number of parts. Absent if the store keeps none. */
  readonly sha256?: string
  readonly crc32c?: string
}

/** What a list of a bucket contains. */
export interface RemoteList {
  readonly prefix: string
  /** `/`, or empty: names are not grouped. */
  readonly delimiter: string
  /** The largest number of versions and common prefixes, 1 to 1000. */
  readonly size: number
  /** The `next` of the page before; absent for the first page. */
  readonly after?: readonly string[]
}

/** A page of a list, in the order of the UTF-8 bytes of the names; the versions of one name newest first. */
export interface RemotePage {
  readonly versions: readonly RemoteVersion[]
  readonly prefixes: readonly string[]
  /** Marks the next page; absent for the last page. */
  readonly next?: readonly string[]
}

/** The members of an object that its upload or copy sets. */
export type RemoteContent = Pick<
  RemoteObject,
  'contentType' | 'contentEncoding' | 'contentDisposition' | 'contentLanguage' | 'cacheControl' | 'metadata'
>

/** A version of an object in a bucket. */
export interface RemoteName {
  readonly bucket: string
  readonly object: string
  /** Absent or empty: the latest version. */
  readonly versionId?: string
}

/** A copy within one account of a store. */
export interface RemoteCopy {
  readonly source: RemoteName
  readonly target: Omit<RemoteName, 'versionId'>
  /** The ETag that the source must have; empty: any. */
  readonly sourceIfMatch: string
  /** The members of the copy; absent: those of the source. */
  readonly content?: RemoteContent
}

/** An upload in parts that the store has. */
export interface RemoteUpload {
  readonly uploadId: string
  readonly object: string
  readonly startedMs: number
}

/** A part of an upload. */
export interface RemotePart {
  readonly number: number
  readonly size: number
  /** Without quotes. */
  readonly etag: string
  readonly sha256: string
  readonly modifiedMs: number
}

/** A completion of an upload; the parts in ascending order. */
export interface RemoteCompletion extends Omit<RemoteName, 'versionId'> {
  readonly uploadId: string
  readonly parts: readonly { readonly number: number; readonly etag: string; readonly sha256: string }[]
  /** The digest of the parts in the composite form of S3; empty: none is compared. */
  readonly sha256: string
  readonly ifNoneMatch: boolean
}

/** A request that a URL allows. */
export interface RemoteRequest {
  readonly method: 'GET' | 'PUT'
  readonly bucket: string
  readonly object: string
  /** The parameters by the names of S3: `versionId`, `uploadId`, `response-content-type` and so on. */
  readonly query: Readonly<Record<string, string>>
  /** The headers that the client must send, keyed by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly signedMs: number
  readonly expiresSeconds: number
}

/** A copy of a range of an object to a part of an upload, within one account of a store. */
export interface RemotePartCopy extends Omit<RemoteCopy, 'content'> {
  readonly uploadId: string
  readonly number: number
  readonly first: number
  readonly last: number
}

/** A small object: of a probe, or of a copy between stores. */
export interface RemoteSample extends Omit<RemoteName, 'versionId'> {
  readonly body: string | Uint8Array
  /** The members of the object; absent: those that the store chooses. */
  readonly content?: RemoteContent
  readonly ifNoneMatch?: boolean
  /** The SHA-256 that the store must compare, in Base64. */
  readonly sha256?: string
}

/**
 * An account of an S3 store. Each request ends within some seconds, is repeated a few times if the store does not answer,
 * and reads bounded answers. All functions throw `RemoteFault`; those that take the name of a bucket throw `bucket` for a
 * bucket that the store does not have.
 */
export interface RemoteStore {
  /** Creates a bucket; a bucket of this account with the name is kept. Throws `exists` for a bucket of another account. */
  createBucket(bucket: string): Promise<void>
  hasBucket(bucket: string): Promise<boolean>
  /** Deletes an empty bucket. Throws `notEmpty`. */
  deleteBucket(bucket: string): Promise<void>
  /** Iterates over the buckets of the account. */
  buckets(): AsyncIterable<RemoteBucket>
  /** Returns whether versions are kept; undefined for a bucket whose versioning was never enabled. */
  versioning(bucket: string): Promise<'Enabled' | 'Suspended' | undefined>
  setVersioning(bucket: string, status: 'Enabled' | 'Suspended'): Promise<void>
  corsRules(bucket: string): Promise<readonly CorsRule[]>
  /** Replaces the rules; no rule removes them. */
  setCorsRules(bucket: string, rules: readonly CorsRule[]): Promise<void>
  /** Lists the latest versions that are no delete markers. */
  objects(bucket: string, list: RemoteList): Promise<RemotePage>
  /** Lists all versions. The store must keep versions. */
  versions(bucket: string, list: RemoteList): Promise<RemotePage>
  /** Throws `object` and `version`, also for a delete marker. */
  read(name: RemoteName): Promise<RemoteObject>
  /** Returns the first bytes of an object, from `first` to `last`. */
  range(name: RemoteName, first: number, last: number): Promise<string>
  /**
   * Returns the bytes of an object from `first` to `last`, at most 16 MiB. Throws `precondition` if the object has another
   * ETag.
   */
  bytes(
    name: RemoteName,
    range: { readonly first: number; readonly last: number; readonly etag: string },
  ): Promise<Uint8Array>
  put(sample: RemoteSample): Promise<void>
  /** Deletes a version, or the object; an absent object counts as deleted. */
  remove(name: RemoteName): Promise<void>
  copy(copy: RemoteCopy): Promise<void>
  /**
   * Returns the id of a new upload. With `hasChecksums`, the store wants a SHA-256 with each part, and else with none: AWS
   * S3 refuses other parts.
   */
  beginUpload(bucket: string, object: string, content: RemoteContent, hasChecksums?: boolean): Promise<string>
  putPart(
    upload: Omit<RemoteName, 'versionId'>,
    uploadId: string,
    number: number,
    body: string | Uint8Array,
  ): Promise<string>
  /** Returns the ETag of the part. Throws `precondition` if the source has another ETag. */
  copyPart(copy: RemotePartCopy): Promise<string>
  /** Iterates over the parts in ascending order. Throws `upload`. */
  parts(upload: Omit<RemoteName, 'versionId'>, uploadId: string): AsyncIterable<RemotePart>
  /** Throws `upload`, `part`, `order`, `small` and `precondition`. */
  completeUpload(completion: RemoteCompletion): Promise<void>
  /** An absent upload counts as ended. */
  abortUpload(upload: Omit<RemoteName, 'versionId'>, uploadId: string): Promise<void>
  uploads(bucket: string): AsyncIterable<RemoteUpload>
  /** Returns a URL for one request. No request is sent. */
  sign(request: RemoteRequest): Promise<string>
  /** Ends the connections of the store. */
  close(): void
}

/** Opens an account of a store. No request is sent. */
export type OpenRemoteStore = (place: RemotePlace, credentials: RemoteCredentials) => Promise<RemoteStore>
