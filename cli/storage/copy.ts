import { basename, extname } from 'node:path'
import { ApiError } from '../../runtime/errors.ts'
import { wait } from '../../runtime/operations.ts'
import { getOperation } from '../../output/storage/routes.ts'
import { CommandError } from '../exit-codes.ts'
import { reportOf } from '../report-error.ts'
import {
  connected,
  objectAt,
  objectsOf,
  openBucket,
  type Connected,
  type OpenBucket,
  type PlaceFlags,
} from './bucket.ts'
import { ContentFile } from './content-file.ts'
import { download } from './download.ts'
import { eachOf, Limit } from './limit.ts'
import { filesBelow, isFolder, pathBelow, type OtherEntries } from './local-files.ts'
import { mediaTypes } from './media-types.ts'
import { remotePlace, type RemotePlace } from './places.ts'
import { Progress, shownName } from './progress.ts'
import { StoreSums } from './store-sums.ts'
import { upload } from './upload.ts'

/** The options of `ninefold storage cp`. */
export interface CopyFlags extends PlaceFlags {
  readonly recursive?: true
  /** The media type of uploads; without it, the ending of each file decides. */
  readonly contentType?: string
  readonly ifAbsent?: true
  /** The number of transfers at a time. */
  readonly parallel: number
}

/** A copy to be made: its name for reports, and what makes it. */
interface Task {
  readonly name: string
  readonly size: number
  readonly run: () => Promise<'copied' | 'unchanged'>
}

/** The parts that all copies of one command share. */
interface Copying {
  readonly flags: CopyFlags
  readonly progress: Progress
  readonly transfers: Limit
}

/** The reasons for which one file cannot be copied while others can. */
const ofOneFile: ReadonlySet<string> = new Set([
  'OBJECT_NAME_INVALID',
  'OBJECT_ALREADY_EXISTS',
  'OBJECT_NOT_FOUND',
  'OBJECT_RETAINED',
  'OBJECT_TOO_LARGE',
])

/**
 * Copies a file or an object, or with `recursive` all files of a folder or all objects of a place, between this machine
 * and a bucket, or between buckets. Files that the destination has with the same bytes are not copied again.
 */
export async function copy(source: string, destination: string, flags: CopyFlags): Promise<void> {
  const [from, to] = [remotePlace(source), remotePlace(destination)]
  if (!from && !to) throw new CommandError('name a place in a bucket, such as nf://BUCKET/NAME, on one side')
  const engine = await connected(flags)
  const copying: Copying = { flags, progress: new Progress('copied'), transfers: new Limit(flags.parallel) }
  const tasks = await tasksOf(engine, { source, from, destination, to }, copying)
  await eachOf(tasks, flags.parallel, task => runTask(task, copying))
  copying.progress.end()
}

async function runTask({ name, run, size }: Task, { flags, progress }: Copying): Promise<void> {
  progress.add(size)
  try {
    if ((await run()) === 'unchanged') progress.unchanged(size)
    else progress.ended()
  } catch (error) {
    const isOwn = error instanceof ApiError ? ofOneFile.has(error.reason) : !(error instanceof TypeError)
    if (flags.recursive !== true || !isOwn) throw error
    progress.failed([shownName(name), ...reportOf(error).lines])
  }
}

interface Places {
  readonly source: string
  readonly from: RemotePlace | undefined
  readonly destination: string
  readonly to: RemotePlace | undefined
}

async function tasksOf(
  engine: Connected,
  { destination, from, source, to }: Places,
  copying: Copying,
): Promise<AsyncIterable<Task> | readonly Task[]> {
  const source_ = from && { place: from, bucket: await openBucket(engine, from.bucket) }
  if (to) {
    const bucket = to.bucket === from?.bucket && source_ ? source_.bucket : await openBucket(engine, to.bucket)
    const target = { bucket, name: to.name }
    return source_ ? copies(source_.bucket, source_.place.name, target, copying) : uploads(source, target, copying)
  }
  if (!source_) return []
  return downloads(source_.bucket, source_.place.name, destination, copying)
}

interface Target {
  readonly bucket: OpenBucket
  readonly name: string
}

/** Returns the name of an object that takes the name of its source: in a folder, or as it was named. */
const nameAt = (name: string, source: string): string =>
  name === '' || name.endsWith('/') ? `${name}${basename(source)}` : name

/** Returns the begin of the names of objects in a folder. */
const prefixOf = (name: string): string => (name === '' || name.endsWith('/') ? name : `${name}/`)

async function uploads(
  source: string,
  { bucket, name }: Target,
  { flags, progress, transfers }: Copying,
): Promise<AsyncIterable<Task> | readonly Task[]> {
  const sums = new StoreSums()
  const task = (path: string, object: string, size: number, etag: () => Promise<string | undefined>): Task => ({
    name: path,
    size,
    run: () =>
      ContentFile.reading(path, async file => {
        const contentType =
          flags.contentType ?? mediaTypes.get(extname(path).toLowerCase()) ?? 'application/octet-stream'
        const known = await etag()
        if (known !== undefined && known === (await file.etag())) return 'unchanged'
        const ifAbsent = flags.ifAbsent === true
        await upload(file, { bucket, object, contentType, ifAbsent, sums, transfers, progress })
        return 'copied'
      }),
  })
  if (flags.recursive !== true) {
    if (await isFolder(source)) throw new CommandError(`${source} is a folder: copy it with --recursive`)
    const object = nameAt(name, source)
    const size = await ContentFile.reading(source, async file => file.size)
    return [task(source, object, size, () => etagAt(bucket, object, size))]
  }
  if (!(await isFolder(source))) throw new CommandError(`${source} is no folder: leave --recursive out`)
  const prefix = prefixOf(name)
  const present = new Map<string, { readonly etag: string; readonly size: number }>()
  for await (const { etag, name: known, size } of objectsOf(bucket, prefix)) present.set(known, { etag, size })
  const others: OtherEntries = {
    skipped: path => progress.say(`skipped ${shownName(path)}: it is no file`),
    failed: (path, error) => progress.failed([shownName(path), ...reportOf(error).lines]),
  }
  return mapped(filesBelow(source, others), file => {
    const object = `${prefix}${file.name}`
    const known = present.get(object)
    return task(file.path, object, file.size, async () => (known?.size === file.size ? known.etag : undefined))
  })
}

/** Returns the entity tag of an object; undefined if it is absent, or has another size. */
async function etagAt(bucket: OpenBucket, object: string, size: number): Promise<string | undefined> {
  try {
    const found = await objectAt(bucket, object)
    return found.size === size ? found.etag : undefined
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'OBJECT_NOT_FOUND') return undefined
    throw error
  }
}

async function downloads(
  bucket: OpenBucket,
  name: string,
  destination: string,
  { flags, progress, transfers }: Copying,
): Promise<AsyncIterable<Task> | readonly Task[]> {
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
    if (name === '' || name.endsWith('/'))
      throw new CommandError('name an object, or copy all objects of the place with --recursive')
    const { etag, size } = await objectAt(bucket, name)
    const path = async (): Promise<string> => {
      if (await isFolder(destination)) return pathBelow(destination, basename(name))
      if (destination.endsWith('/')) throw new CommandError(`${destination} is no folder: make the folder first`)
      return destination
    }
    return [task(name, path, size, etag)]
  }
  const prefix = prefixOf(name)
  return mapped(objectsOf(bucket, prefix), object =>
    task(object.name, () => pathBelow(destination, object.name.slice(prefix.length)), object.size, object.etag),
  )
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

async function copies(
  source: OpenBucket,
  name: string,
  target: Target,
  { flags, progress }: Copying,
): Promise<AsyncIterable<Task> | readonly Task[]> {
  const { api, at, transport } = target.bucket
  const task = (from: string, to: string, size: number): Task => ({
    name: from,
    size,
    run: async () => {
      const body = {
        source_bucket_id: source.at.bucket,
        source_object: from,
        destination_object: to,
        ...(flags.ifAbsent && { if_none_match: '*' as const }),
      }
      await wait(transport, getOperation, await api.copyObject({ ...at, body }))
      progress.moved(size)
      return 'copied'
    },
  })
  if (flags.recursive !== true) {
    const { size } = await objectAt(source, name)
    return [task(name, nameAt(target.name, name), size)]
  }
  const [from, to] = [prefixOf(name), prefixOf(target.name)]
  if (source.at.bucket === target.bucket.at.bucket && to.startsWith(from))
    throw new CommandError('a place cannot be copied into itself: name a destination outside of it')
  return mapped(objectsOf(source, from), ({ name: object, size }) =>
    task(object, `${to}${object.slice(from.length)}`, size),
  )
}

async function* mapped<T, R>(items: AsyncIterable<T>, map: (item: T) => R): AsyncGenerator<R, void, undefined> {
  for await (const item of items) yield map(item)
}
