import { basename } from 'node:path'
import { CommandError } from '../exit-codes.ts'
import { objectAt, objectsBelow, type OpenBucket } from './bucket.ts'
import { ContentFile } from './content-file.ts'
import { download } from './download.ts'
import { isFolder, makeFolder, pathBelow } from './local-files.ts'
import { prefixOf, requireObjectName } from './places.ts'
import { shownName } from './progress.ts'
import { mapped, type Copying, type Task, type Tasks } from './task.ts'

/** Returns the downloads of an object, or of the objects of a place. */
export async function downloadTasks(
  bucket: OpenBucket,
  name: string,
  destination: string,
  { flags, progress, transfers }: Copying,
): Promise<Tasks> {
  const task = (object: string, path: () => Promise<string>, size: number, etag: string): Task => ({
    name: object,
    size,
    run: async () => {
      const file = await path()
      if (await hasContent(file, size, etag)) return 'unchanged'
      await download(file, { bucket, object, transfers, progress })
      return 'copied'
    },
  })
  if (flags.recursive !== true) {
    requireObjectName(name)
    const { etag, size } = await objectAt(bucket, name)
    const path = async (): Promise<string> => {
      if (await isFolder(destination)) return pathBelow(destination, basename(name))
      if (destination.endsWith('/')) throw new CommandError(`${destination} is no folder: make the folder first`)
      return destination
    }
    return [task(name, path, size, etag)]
  }
  await makeFolder(destination)
  const prefix = prefixOf(name)
  return mapped(objectsBelow(bucket, prefix), object => {
    const isFolderMark = object.size === 0 && object.name.endsWith('/')
    if (!isFolderMark)
      return task(object.name, () => pathBelow(destination, object.name.slice(prefix.length)), object.size, object.etag)
    progress.say(`skipped ${shownName(object.name)}: it is an empty object that stands for a folder`)
    return undefined
  })
}

/** Whether a file of this machine has the bytes of an object. */
async function hasContent(path: string, size: number, etag: string): Promise<boolean> {
  try {
    return await ContentFile.reading(path, async file => file.size === size && (await file.etag()) === etag)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}
