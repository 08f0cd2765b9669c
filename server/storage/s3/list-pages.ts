import {
  ListObjectVersionsCommand,
  ListObjectsV2Command,
  type DeleteMarkerEntry,
  type ObjectVersion,
  type S3Client,
} from '@aws-sdk/client-s3'
import { RemoteFault } from '../../../domain/storage/remote-store/remote-fault.ts'
import type { RemoteList, RemotePage, RemoteVersion } from '../../../domain/storage/remote-store/remote-store.ts'
import { bareEtag } from './object-members.ts'
import type { Within } from './store-requests.ts'

/** Returns a page of the latest versions of a bucket. */
export async function listObjects(
  client: Pick<S3Client, 'send'>,
  bucket: string,
  list: RemoteList,
  within: Within,
): Promise<RemotePage> {
  const [token] = list.after ?? []
  const page = await client.send(
    new ListObjectsV2Command({
      Bucket: bucket,
      MaxKeys: list.size,
      EncodingType: 'url',
      ...(list.prefix !== '' && { Prefix: list.prefix }),
      ...(list.delimiter !== '' && { Delimiter: list.delimiter }),
      ...(token !== undefined && { ContinuationToken: token }),
    }),
    within,
  )
  const plain = decoder(page.EncodingType)
  const versions = (page.Contents ?? []).map((each): RemoteVersion => ({
    name: plain(each.Key),
    versionId: 'null',
    isLatest: true,
    isDeleteMarker: false,
    size: each.Size ?? 0,
    etag: bareEtag(each.ETag),
    modifiedMs: each.LastModified?.getTime() ?? 0,
  }))
  const next = page.IsTruncated === true ? [requireMark(page.NextContinuationToken, token)] : undefined
  return pageOf(
    list,
    versions,
    page.CommonPrefixes?.map(each => plain(each.Prefix)),
    next,
  )
}

/** Returns a page of all versions of a bucket. */
export async function listVersions(
  client: Pick<S3Client, 'send'>,
  bucket: string,
  list: RemoteList,
  within: Within,
): Promise<RemotePage> {
  const [key, version] = list.after ?? []
  const page = await client.send(
    new ListObjectVersionsCommand({
      Bucket: bucket,
      MaxKeys: list.size,
      EncodingType: 'url',
      ...(list.prefix !== '' && { Prefix: list.prefix }),
      ...(key !== undefined && { KeyMarker: key }),
      ...(version !== undefined && version !== '' && { VersionIdMarker: version }),
    }),
    within,
  )
  const plain = decoder(page.EncodingType)
  const versions = [
    ...(page.Versions ?? []).map(each => versionOf(each, plain)),
    ...(page.DeleteMarkers ?? []).map(each => ({ ...versionOf(each, plain), isDeleteMarker: true })),
  ]
  versions.sort(byNameNewestFirst)
  const next =
    page.IsTruncated === true
      ? [requireMark(plain(page.NextKeyMarker), undefined), page.NextVersionIdMarker ?? '']
      : undefined
  if (next && next[0] === key && next[1] === version) throw endless()
  return pageOf(list, versions, [], next)
}

function versionOf(
  each: ObjectVersion | DeleteMarkerEntry,
  plain: (text: string | undefined) => string,
): RemoteVersion {
  return {
    name: plain(each.Key),
    versionId: each.VersionId ?? 'null',
    isLatest: each.IsLatest === true,
    isDeleteMarker: false,
    size: 'Size' in each ? (each.Size ?? 0) : 0,
    etag: 'ETag' in each ? bareEtag(each.ETag) : '',
    modifiedMs: each.LastModified?.getTime() ?? 0,
  }
}

/** Orders versions by the UTF-8 bytes of their names; of one name, the latest first and then the newest. */
function byNameNewestFirst(a: RemoteVersion, b: RemoteVersion): number {
  if (a.name !== b.name) return Buffer.compare(Buffer.from(a.name), Buffer.from(b.name))
  return Number(b.isLatest) - Number(a.isLatest) || b.modifiedMs - a.modifiedMs
}

function pageOf(
  { size }: RemoteList,
  versions: readonly RemoteVersion[],
  prefixes: readonly string[] = [],
  next: readonly string[] | undefined,
): RemotePage {
  if (versions.length + prefixes.length > size)
    throw new RemoteFault('unavailable', 'the S3 store answers a list with more entries than were requested')
  return { versions, prefixes, ...(next && { next }) }
}

/** Returns the mark of the next page. Throws for a store that marks no page, or the same page again. */
function requireMark(mark: string | undefined, before: string | undefined): string {
  if (mark === undefined || mark === '' || mark === before) throw endless()
  return mark
}

const endless = (): RemoteFault => new RemoteFault('unavailable', 'the S3 store answers a list without an end')

/** Returns a function that decodes the names of a list; a store that encodes none says so. */
const decoder =
  (encoding: string | undefined) =>
  (text: string | undefined): string => {
    if (encoding !== 'url') return text ?? ''
    try {
      return decodeURIComponent((text ?? '').replaceAll('+', ' '))
    } catch (error) {
      throw new RemoteFault('unavailable', 'the S3 store answers a name that is not encoded', { cause: error })
    }
  }
