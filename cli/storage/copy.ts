import { CommandError } from '../exit-codes.ts'
import { reportOf } from '../report-error.ts'
import { connected, openBucket, type Connected, type PlaceFlags } from './bucket.ts'
import { copyTasks } from './copy-tasks.ts'
import { downloadTasks } from './download-tasks.ts'
import { eachOf, Limit } from './limit.ts'
import { isOfOneFile } from './one-file-faults.ts'
import { remotePlace, type RemotePlace } from './places.ts'
import { Progress, shownName } from './progress.ts'
import type { CopyOptions, Copying, Task, Tasks } from './task.ts'
import { uploadTasks } from './upload-tasks.ts'

/** The options of `ninefold storage cp`. */
export interface CopyFlags extends PlaceFlags, CopyOptions {
  /** The number of transfers at a time. */
  readonly parallel: number
}

interface Places {
  readonly source: string
  readonly from: RemotePlace | undefined
  readonly destination: string
  readonly to: RemotePlace | undefined
}

/**
 * Copies a file or an object, or with `recursive` all files of a folder or all objects of a place, between this machine
 * and a bucket, or between buckets. Files that the destination has with the same bytes are not copied again.
 */
export async function copy(source: string, destination: string, flags: CopyFlags): Promise<void> {
  const [from, to] = [remotePlace(source), remotePlace(destination)]
  if (!from && !to) throw new CommandError('name a place in a bucket, such as nf://BUCKET/NAME, on one side')
  if (flags.contentType !== undefined && from)
    throw new CommandError('--content-type is for files that go to a bucket: objects keep their media type')
  if (flags.ifAbsent && !to)
    throw new CommandError('--if-absent is for objects: name a place in a bucket as the destination')
  const engine = await connected(flags)
  const copying: Copying = { flags, progress: new Progress('copied'), transfers: new Limit(flags.parallel) }
  const tasks = await tasksOf(engine, { source, from, destination, to }, copying)
  await eachOf(tasks, flags.parallel, task => runTask(task, copying))
  copying.progress.end()
}

async function tasksOf(engine: Connected, { destination, from, source, to }: Places, copying: Copying): Promise<Tasks> {
  const origin = from && { name: from.name, bucket: await openBucket(engine, from.bucket) }
  if (to) {
    const bucket = origin && to.bucket === from?.bucket ? origin.bucket : await openBucket(engine, to.bucket)
    const target = { bucket, name: to.name }
    return origin ? copyTasks(origin.bucket, origin.name, target, copying) : uploadTasks(source, target, copying)
  }
  return origin ? downloadTasks(origin.bucket, origin.name, destination, copying) : []
}

async function runTask({ name, run, size }: Task, { flags, progress }: Copying): Promise<void> {
  progress.add(size)
  try {
    if ((await run()) === 'unchanged') progress.unchanged(size)
    else progress.ended()
  } catch (error) {
    if (flags.recursive !== true || !isOfOneFile(error)) throw error
    progress.failed([shownName(name), ...reportOf(error).lines])
  }
}
