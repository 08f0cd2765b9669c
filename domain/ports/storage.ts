import type { CallContext } from '../../runtime/context.ts'
import type { Chunks } from '../../runtime/media.ts'
import type { Reader, Transaction } from './store.ts'

/** The place of an object. A bucket of another workspace counts as absent. */
export interface ObjectPlace {
  readonly workspace: string
  /** The id of the bucket, of any engine. */
  readonly bucket: string
  readonly object: string
  /** The id of a version; absent or empty: the latest version. */
  readonly versionId?: string
}

/** The facts of a version of an object. A version never changes. */
export interface ObjectFacts {
  readonly versionId: string
  /** In bytes. */
  readonly size: number
  /** The content ETag without quotes. */
  readonly etag: string
  readonly contentType: string
  readonly createTime: string
}

/** The bytes of a content from `first` to `last`, both included; bytes beyond the end are left out. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

/** A version that is open for reading. */
export interface OpenedObject extends ObjectFacts {
  /**
   * The bytes, at the pace of their reader, even if the version is deleted meanwhile. The caller reads the stream to its
   * end or cancels the stream. The stream fails if the disk fails.
   */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>
}

/** An object that a list has found: the facts of its latest version. */
export interface ListedObject extends ObjectFacts {
  readonly object: string
}

/** A version that is open for reads of ranges. Its bytes stay readable, even if the version is deleted, until it is closed. */
export interface OpenObject extends ObjectFacts {
  /** The SHA-256 of the bytes in hex; absent for content of several parts. */
  readonly sha256?: string
  /**
   * Returns the bytes from `first` to `last`, both included, at the pace of their reader. The end of the stream, its
   * cancellation and its failure close the version. Call `stream` once.
   */
  stream(first: number, last: number): ReadableStream<Uint8Array<ArrayBuffer>>
  close(): Promise<void>
}

/** The options of `putObject`. */
export interface PutOptions {
  /** By default `application/octet-stream`. */
  readonly contentType?: string
  /** Whether the name must be free. */
  readonly ifNoneMatch?: boolean
}

/**
 * The functions of storage for other areas (conventions §14). No function records an operation or an activity, so that a
 * log sink does not export its own writes.
 *
 * `context` is the call whose caller wants the content: the caller then needs the permission that each function names, at
 * the workspace of the place. Without `context`, the platform itself reads or writes, for a caller whose permission was
 * checked before (conventions §12).
 *
 * Content lies on one server: the others throw ENGINE_UNAVAILABLE, as for a disk that has failed. Never call a function
 * with content in a transaction.
 */
export interface Storage {
  /**
   * Returns the facts of a version, also of a workspace that is not active; `reader` may be the transaction of the
   * caller. Needs storage.objects.get. Throws BUCKET_NOT_FOUND, OBJECT_NAME_INVALID, OBJECT_NOT_FOUND and
   * OBJECT_VERSION_NOT_FOUND.
   */
  statObject(context: CallContext | undefined, place: ObjectPlace, reader?: Reader): Promise<ObjectFacts>
  /**
   * Opens a version. Needs storage.objects.download. Throws as `statObject`, and WORKSPACE_NOT_ACTIVE, `ContentLost` and
   * ENGINE_UNAVAILABLE.
   */
  readObject(context: CallContext | undefined, place: ObjectPlace, range?: ByteRange): Promise<OpenedObject>
  /** Opens a version for reads of ranges. Needs and throws as `readObject`. */
  openObject(context: CallContext | undefined, place: ObjectPlace): Promise<OpenObject>
  /**
   * Iterates over the objects of a bucket whose names begin with a prefix, in the order of their names; an object that is
   * written or deleted meanwhile may be missing. Throws BUCKET_NOT_FOUND. The caller has checked the permissions.
   */
  listObjects(place: Pick<ObjectPlace, 'workspace' | 'bucket'>, prefix: string): AsyncIterable<ListedObject>
  /**
   * Writes a version with the content of versions of other objects of its bucket, one after the other, and deletes these
   * versions for good, in one transaction: no byte is copied, and any server can join objects. `parts` has at least one
   * version. Needs storage.objects.create and storage.objects.delete. Throws as `putObject` does, and
   * OBJECT_VERSION_NOT_FOUND.
   */
  joinObjects(
    context: CallContext | undefined,
    place: ObjectPlace,
    parts: readonly Pick<ListedObject, 'object' | 'versionId'>[],
  ): Promise<ObjectFacts>
  /**
   * Writes a version, in bounded memory; an error of `body` is thrown as it is, and nothing is written. Needs
   * storage.objects.create, and storage.objects.delete to replace a version. Throws BUCKET_NOT_FOUND, BUCKET_DELETING,
   * WORKSPACE_NOT_ACTIVE, OBJECT_NAME_INVALID, OBJECT_ALREADY_EXISTS, OBJECT_RETAINED, OBJECT_TOO_LARGE, QUOTA_EXCEEDED,
   * STORAGE_CAPACITY_EXHAUSTED and ENGINE_UNAVAILABLE.
   */
  putObject(
    context: CallContext | undefined,
    place: ObjectPlace,
    body: Chunks,
    options?: PutOptions,
  ): Promise<ObjectFacts>
  /**
   * Deletes an object or a version as the call deleteObject does (storage.md 4.8). Needs storage.objects.delete. Throws
   * as `statObject`, and BUCKET_DELETING, WORKSPACE_NOT_ACTIVE and OBJECT_RETAINED.
   */
  deleteObject(context: CallContext | undefined, place: ObjectPlace): Promise<void>
  /**
   * Records that a row uses a bucket, so that the bucket cannot be deleted (BUCKET_IN_USE) until the holder drops its
   * references. Throws BUCKET_NOT_FOUND and BUCKET_DELETING. The caller has checked the permissions (conventions §12).
   */
  useBucket(
    tx: Transaction,
    place: Pick<ObjectPlace, 'workspace' | 'bucket'>,
    holder: { readonly type: string; readonly id: string },
  ): Promise<void>
}
