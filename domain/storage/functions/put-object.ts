import type { CallContext } from '../../../runtime/context.ts'
import type { Chunks } from '../../../runtime/media.ts'
import { systemPrincipalId } from '../../ports/reserved.ts'
import type { ObjectFacts, ObjectPlace, PutOptions } from '../../ports/storage.ts'
import { crc32cText } from '../../resources/crc32c.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { refusalOf } from '../../resources/refusal.ts'
import type { ReceivedFile } from '../contents/content-files.ts'
import type { StorageEnvironment } from '../environment.ts'
import { commitVersion } from '../objects/commit-version.ts'
import { findVersion } from '../objects/find-version.ts'
import type { NewVersion } from '../objects/new-version.ts'
import { classOf, sizeLimit, tooLarge } from '../objects/object-limits.ts'
import { requireUsable } from '../objects/version-changes.ts'
import { sound } from '../plane/plane-errors.ts'
import { keepContent } from '../plane/store-content.ts'
import { factsOf } from './read-object.ts'
import { placedBucket, requireCaller, requireServing } from './placed-bucket.ts'

/** Writes the version of an object for another area; see `Storage`. */
export async function putObject(
  environment: StorageEnvironment,
  context: CallContext | undefined,
  place: ObjectPlace,
  body: Chunks,
  options: PutOptions = {},
): Promise<ObjectFacts> {
  const { access, clock, store, taxonomy } = environment
  await requireCaller(environment, context, 'storage.objects.create', place)
  // The commit decides whether a version is destroyed, so the refusal is kept until then.
  const scope = workspaceScope(place.workspace)
  const overwriteRefusal = context && (await refusalOf(access.require(context, 'storage.objects.delete', scope)))
  const bucket = await placedBucket(store, place)
  await taxonomy.checkActive(store, place.workspace)
  requireUsable(bucket)
  await requireServing(environment)
  const maxBytes = sizeLimit(bucket, await classOf(store, bucket))
  const id = clock.newId()
  const path = `objects/${id.slice(-2)}/${id}`
  const given = {
    id,
    ...options,
    name: place.object,
    uploader: context?.principal?.id ?? systemPrincipalId,
    overwriteRefusal,
  }
  await sound(() =>
    keepContent(environment, bucket, body, {
      maxBytes,
      tooLong: () => tooLarge('the content', maxBytes),
      path,
      commit: file => commitVersion(environment, bucket, newVersion(given, file, path, clock.now())),
    }),
  )
  return factsOf((await findVersion(store, { ...place, versionId: id })).value)
}

type Given = PutOptions & Pick<NewVersion, 'id' | 'name' | 'overwriteRefusal' | 'uploader'>

const newVersion = (
  { contentType = 'application/octet-stream', ifNoneMatch = false, ...given }: Given,
  { digests, size }: ReceivedFile,
  path: string,
  now: number,
): NewVersion => ({
  ...given,
  size,
  contentType,
  ifNoneMatch,
  etag: digests.md5,
  metadata: {
    cache_control: '',
    content_disposition: '',
    content_encoding: '',
    content_language: '',
    checksum_sha256: digests.sha256,
    checksum_crc32c: crc32cText(digests.crc32c),
    md5: digests.md5,
    part_count: 0,
    custom_metadata: {},
    source_version_id: '',
  },
  content: { files: [{ path, size }] },
  now,
})
