import { ApiError } from '../../runtime/errors.ts'
import { CommandError } from '../exit-codes.ts'
import { reportOf } from '../report-error.ts'
import { connected, objectsOf, openBucket, type OpenBucket, type PlaceFlags } from './bucket.ts'
import { eachOf } from './limit.ts'
import { requiredRemotePlace } from './places.ts'
import { Progress, shownName } from './progress.ts'

/** The options of `ninefold storage rm`. */
export interface RemoveFlags extends PlaceFlags {
  readonly recursive?: true
  readonly parallel: number
}

/** Deletes an object, or with `recursive` all objects whose names begin with a place. */
export async function remove(word: string, { parallel, recursive, ...flags }: RemoveFlags): Promise<void> {
  const { bucket: named, name } = requiredRemotePlace(word)
  if (!recursive && (name === '' || name.endsWith('/')))
    throw new CommandError(`${word} names no object: delete all objects of the place with --recursive`)
  const bucket = await openBucket(await connected(flags), named)
  const progress = new Progress('deleted')
  const objects = recursive ? objectsOf(bucket, name) : [{ name }]
  await eachOf(objects, parallel, async object => {
    progress.add(0)
    try {
      await removeOne(bucket, object.name, recursive === true)
      progress.ended()
    } catch (error) {
      if (!recursive || !(error instanceof ApiError) || error.reason !== 'OBJECT_RETAINED') throw error
      progress.failed([shownName(object.name), ...reportOf(error).lines])
    }
  })
  progress.end()
}

/** Deletes an object. If it may be gone meanwhile, its absence is no fault. */
async function removeOne({ api, at }: OpenBucket, object: string, mayBeGone: boolean): Promise<void> {
  try {
    await api.deleteObject({ ...at, object })
  } catch (error) {
    if (!mayBeGone || !(error instanceof ApiError) || error.reason !== 'OBJECT_NOT_FOUND') throw error
  }
}
