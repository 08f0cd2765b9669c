import { basename, extname } from 'node:path'
import { ApiError } from '../../runtime/errors.ts'
import type { ObjectSchema } from '../../output/storage/types.ts'
import { CommandError } from '../exit-codes.ts'
import { reportOf } from '../report-error.ts'
import { objectAt, objectsOf, type OpenBucket } from './bucket.ts'
import { ContentFile } from './content-file.ts'
import { isUnfinished } from './download.ts'
import { filesBelow, isFolder, type OtherEntries } from './local-files.ts'
import { mediaTypes } from './media-types.ts'
import { nameAt, prefixOf } from './places.ts'
import { shownName } from './progress.ts'
import { StoreSums } from './store-sums.ts'
import { mapped, type Copying, type Target, type Task, type Tasks } from './task.ts'
import { upload } from './upload.ts'

/** What the destination has at a name. */
type Present = Pick<ObjectSchema, 'content_type' | 'etag' | 'size'>

/** Returns the uploads of a file, or of the files below a folder. */
export async function uploadTasks(
  source: string,
  { bucket, name }: Target,
  { flags, progress, transfers }: Copying,
): Promise<Tasks> {
  const sums = new StoreSums()
  const isSame = async (file: ContentFile, present: Present | undefined): Promise<boolean> =>
    present?.size === file.size &&
    (flags.contentType === undefined || flags.contentType === present.content_type) &&
    present.etag === (await file.etag())
  const task = (path: string, object: string, size: number, find: () => Promise<Present | undefined>): Task => ({
    name: path,
    size,
    run: () =>
      ContentFile.reading(path, async file => {
        const contentType =
          flags.contentType ?? mediaTypes.get(extname(path).toLowerCase()) ?? 'application/octet-stream'
        if (await isSame(file, await find())) return 'unchanged'
        const ifAbsent = flags.ifAbsent === true
        await upload(file, { bucket, object, contentType, ifAbsent, sums, transfers, progress })
        return 'copied'
      }),
  })
  if (flags.recursive !== true) {
    if (await isFolder(source)) throw new CommandError(`${source} is a folder: copy it with --recursive`)
    const object = nameAt(name, source)
    const size = await ContentFile.reading(source, async file => file.size)
    return [task(source, object, size, () => presentAt(bucket, object))]
  }
  if (!(await isFolder(source))) throw new CommandError(`${source} is no folder: leave --recursive out`)
  const prefix = prefixOf(name)
  const present = new Map<string, Present>()
  for await (const { content_type, etag, name: known, size } of objectsOf(bucket, prefix))
    present.set(known, { content_type, etag, size })
  const others: OtherEntries = {
    skipped: path => progress.say(`skipped ${shownName(path)}: it is no file`),
    failed: (path, error) => progress.failed([shownName(path), ...reportOf(error).lines]),
  }
  return mapped(filesBelow(source, others), file => {
    if (isUnfinished(basename(file.path))) {
      progress.say(`skipped ${shownName(file.path)}: it belongs to an unfinished download`)
      return undefined
    }
    const object = `${prefix}${file.name}`
    return task(file.path, object, file.size, async () => present.get(object))
  })
}

/** Returns the object of a name; undefined if the bucket has no such object. */
async function presentAt(bucket: OpenBucket, object: string): Promise<Present | undefined> {
  try {
    return await objectAt(bucket, object)
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'OBJECT_NOT_FOUND') return undefined
    throw error
  }
}
