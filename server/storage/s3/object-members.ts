import type { CopyObjectCommandInput, HeadObjectCommandOutput } from '@aws-sdk/client-s3'
import { encodeSegment } from '../../../domain/storage/objects/object-path.ts'
import { RemoteFault } from '../../../domain/storage/remote-store/remote-fault.ts'
import type { RemoteContent, RemoteName, RemoteObject } from '../../../domain/storage/remote-store/remote-store.ts'

/** Returns an ETag without quotes. */
export const bareEtag = (etag: string | undefined): string => (etag ?? '').replaceAll('"', '')

/** Returns the members of a request that set the members of an object. Empty members are left out. */
export function contentInput(
  content: RemoteContent,
): Pick<
  CopyObjectCommandInput,
  'ContentType' | 'ContentEncoding' | 'ContentDisposition' | 'ContentLanguage' | 'CacheControl' | 'Metadata'
> {
  const { cacheControl, contentDisposition, contentEncoding, contentLanguage, contentType, metadata } = content
  return {
    ContentType: contentType,
    Metadata: { ...metadata },
    ...(contentEncoding !== '' && { ContentEncoding: contentEncoding }),
    ...(contentDisposition !== '' && { ContentDisposition: contentDisposition }),
    ...(contentLanguage !== '' && { ContentLanguage: contentLanguage }),
    ...(cacheControl !== '' && { CacheControl: cacheControl }),
  }
}

/** Returns the object that an answer to HEAD describes. Throws `RemoteFault` for an answer that describes none. */
export function objectOf(name: string, head: HeadObjectCommandOutput): RemoteObject {
  if (head.ETag === undefined || head.ContentLength === undefined)
    throw new RemoteFault('unavailable', 'the S3 store answers without the size and the entity tag of an object')
  return {
    name,
    versionId: head.VersionId ?? 'null',
    size: head.ContentLength,
    etag: bareEtag(head.ETag),
    modifiedMs: head.LastModified?.getTime() ?? 0,
    contentType: head.ContentType ?? 'application/octet-stream',
    contentEncoding: head.ContentEncoding ?? '',
    contentDisposition: head.ContentDisposition ?? '',
    contentLanguage: head.ContentLanguage ?? '',
    cacheControl: head.CacheControl ?? '',
    metadata: { ...head.Metadata },
    ...(head.ChecksumSHA256 !== undefined && { sha256: head.ChecksumSHA256 }),
    ...(head.ChecksumCRC32C !== undefined && { crc32c: head.ChecksumCRC32C }),
  }
}

/** Returns the members of a request that name a version. */
export const keyOf = ({ bucket, object, versionId = '' }: RemoteName) => ({
  Bucket: bucket,
  Key: object,
  ...(versionId !== '' && { VersionId: versionId }),
})

/** Returns a version in the form of the header `x-amz-copy-source`. */
export function copySource({ bucket, object, versionId = '' }: RemoteName): string {
  const version = versionId === '' ? '' : `?versionId=${encodeSegment(versionId)}`
  return `${bucket}/${object.split('/').map(encodeSegment).join('/')}${version}`
}
