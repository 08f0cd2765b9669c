import type { StepContext } from '../../ports/procedures.ts'
import type { BucketStore } from '../remote-buckets/bucket-store.ts'
import { hasCapability } from '../remote-buckets/capabilities.ts'
import { isSince } from '../remote-store/clock-difference.ts'
import { isFault, RemoteFault, unless } from '../remote-store/remote-fault.ts'
import type { RemotePart } from '../remote-store/remote-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { remoteParts } from '../remote-uploads/find-remote-upload.ts'
import { keepCopy, remoteCopyCollection } from './copies-store.ts'
import type { RemoteCopyOrder } from './copy-order.ts'

const mebibyte = 2 ** 20

/** The bytes of a part that passes this server, and of a part that a store copies itself. */
const passedBytes = 8 * mebibyte
const copiedBytes = 1024 * mebibyte

/** The largest number of parts of an upload. */
const mostParts = 10_000

/** The largest object that is copied between stores, in bytes: 78 GiB. */
export const mostPassedBytes = passedBytes * mostParts

/** The bucket of the source, and the bucket of the copy. */
export interface CopyPlaces {
  readonly from: BucketStore
  readonly to: BucketStore
}

type Context = StepContext<RemoteCopyOrder>

/** Whether two buckets lie in one account, whose store copies between them itself. */
export const areOneAccount = ({ from, to }: CopyPlaces): boolean => from.of.id === to.of.id

/**
 * Copies an object part by part, and goes on with the parts that an interrupted run has left. Returns false if the work
 * was aborted before the end. Throws `RemoteFault`; `exists` for a taken name of a copy that must not replace an object.
 */
export async function copyBytes(
  { store: rows }: Pick<StorageEnvironment, 'store'>,
  context: Context,
  places: CopyPlaces,
): Promise<boolean> {
  const { input: order, progress, signal } = context
  const { to } = places
  const { source, target } = order
  const name = { bucket: to.name, object: target.object }
  if (source.size <= passedBytes && !areOneAccount(places)) {
    await requireFree(order, to)
    const body = source.size === 0 ? new Uint8Array() : await bytesOf(order, places.from, 0, source.size)
    await taken(to.store.put({ ...name, body, content: order.content, ifNoneMatch: isConditional(order, to) }))
    return true
  }
  const begun = (await rows.get(remoteCopyCollection, order.id))?.value.remote_id
  const left = begun === undefined ? undefined : await partsOf(to, name, begun)
  // The store has the upload no more after a completion whose answer was lost.
  if (begun !== undefined && !left && (await isCompleted(order, to))) return true
  const uploadId = left && begun !== undefined ? begun : await begin(context, to)
  const size = areOneAccount(places) ? copiedBytes : passedBytes
  const count = Math.ceil(source.size / size)
  const parts: Pick<RemotePart, 'number' | 'etag' | 'sha256'>[] = []
  for (let number = 1; number <= count; number += 1) {
    if (signal.aborted) return false
    const start = (number - 1) * size
    const length = Math.min(size, source.size - start)
    const known = left?.get(number)
    const etag =
      known?.size === length ? known.etag : await copyPart(order, places, { uploadId, number, start, length })
    parts.push({ number, etag, sha256: '' })
    progress(Math.floor((99 * number) / count))
  }
  await requireFree(order, to)
  await taken(to.store.completeUpload({ ...name, uploadId, parts, sha256: '', ifNoneMatch: isConditional(order, to) }))
  return true
}

interface CopiedPart {
  readonly uploadId: string
  readonly number: number
  readonly start: number
  readonly length: number
}

/** Copies a part; returns its ETag. */
async function copyPart(
  order: RemoteCopyOrder,
  places: CopyPlaces,
  { length, number, start, uploadId }: CopiedPart,
): Promise<string> {
  const { from, to } = places
  const { source, target } = order
  const name = { bucket: to.name, object: target.object }
  if (!areOneAccount(places)) return to.store.putPart(name, uploadId, number, await bytesOf(order, from, start, length))
  return to.store.copyPart({
    source: { bucket: from.name, object: source.object, versionId: source.versionId },
    sourceIfMatch: source.etag,
    target: name,
    uploadId,
    number,
    first: start,
    last: start + length - 1,
  })
}

/** Reads a part of the source; fails if the store answers another number of bytes. */
async function bytesOf(
  { source: { etag, object, versionId } }: RemoteCopyOrder,
  { name, store }: BucketStore,
  start: number,
  length: number,
): Promise<Uint8Array> {
  const bytes = await store.bytes({ bucket: name, object, versionId }, { first: start, last: start + length - 1, etag })
  if (bytes.length === length) return bytes
  throw new RemoteFault('unavailable', `the S3 store answers ${bytes.length} of ${length} bytes`)
}

/** Begins the upload of a copy. A crash before its row leaves an upload that the inventory ends. */
async function begin({ input: order, tx }: Context, { name, store }: BucketStore): Promise<string> {
  const { content, id, target } = order
  const remote_id = await store.beginUpload(name, target.object, content)
  await tx(each => keepCopy(each, { id, bucket_id: target.bucket, remote_id }))
  return remote_id
}

/** Returns the parts of an upload, keyed by number; undefined for an upload that the store does not have. */
const partsOf = (
  to: BucketStore,
  { object }: { readonly object: string },
  remote_id: string,
): Promise<ReadonlyMap<number, RemotePart> | undefined> =>
  unless(remoteParts(to, { object }, { remote_id }), 'upload', 'object')

async function isCompleted({ source, target, time }: RemoteCopyOrder, { name, store }: BucketStore): Promise<boolean> {
  const found = await unless(store.read({ bucket: name, object: target.object }), 'object', 'unsupported')
  return found?.size === source.size && isSince(found, time)
}

/** Whether the store itself keeps a copy from replacing an object. */
const isConditional = ({ ifNoneMatch }: RemoteCopyOrder, { of }: BucketStore): boolean =>
  ifNoneMatch && hasCapability(of, 'CONDITIONAL_PUT')

/** Throws `exists` if a copy must not replace an object that is there. */
async function requireFree({ ifNoneMatch, target }: RemoteCopyOrder, { name, store }: BucketStore): Promise<void> {
  if (!ifNoneMatch) return
  const found = await unless(store.read({ bucket: name, object: target.object }), 'object', 'unsupported')
  if (found) throw new RemoteFault('exists', 'the name of the copy is taken')
}

/** Returns the result of a request whose condition is that the name of the copy is free. */
async function taken<R>(request: Promise<R>): Promise<R> {
  try {
    return await request
  } catch (error) {
    if (isFault(error, 'precondition'))
      throw new RemoteFault('exists', 'the name of the copy is taken', { cause: error })
    throw error
  }
}
