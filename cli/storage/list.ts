import { listBuckets, listObjects } from '../../output/storage/routes.ts'
import { iteratePages } from '../../runtime/iterate.ts'
import { printRows, type OutputForm } from '../answer-printer.ts'
import { connected, openBucket, requireRows, type Connected, type OpenBucket, type PlaceFlags } from './bucket.ts'
import { requiredRemotePlace } from './places.ts'

/** The options of `ninefold storage ls`. */
export interface ListFlags extends PlaceFlags {
  readonly recursive?: true
  readonly output?: OutputForm
}

/** Lists the buckets of the workspace, or the folders and objects whose names begin with a place. */
export async function list(word: string | undefined, { output, recursive, ...flags }: ListFlags): Promise<void> {
  const place = word === undefined ? undefined : requiredRemotePlace(word)
  const engine = await connected(flags)
  const pages = place
    ? objectPages(await openBucket(engine, place.bucket), place.name, recursive ? '' : '/')
    : bucketPages(engine)
  const form = output ?? (process.stdout.isTTY ? 'table' : 'json')
  const print = (line: string): void => void process.stdout.write(`${line}\n`)
  await printRows(pages, Infinity, { form, width: process.stdout.columns ?? 120, print })
}

async function* bucketPages({ at, transport }: Connected): AsyncGenerator<readonly object[], void, undefined> {
  for await (const { buckets } of iteratePages(transport, listBuckets, at))
    yield requireRows(buckets).map(({ create_time, id, name, state, usage }) => ({
      name,
      id,
      state,
      objects: usage.object_count,
      bytes: usage.bytes,
      create_time,
    }))
}

async function* objectPages(
  { at, transport }: OpenBucket,
  prefix: string,
  delimiter: string,
): AsyncGenerator<readonly object[], void, undefined> {
  const asked = { ...at, prefix, delimiter, page_size: 100 }
  for await (const { common_prefixes, objects } of iteratePages(transport, listObjects, asked)) {
    const rows = requireRows(objects).map(({ content_type, create_time, etag, name, size }) => ({
      name,
      size,
      content_type,
      create_time,
      etag,
    }))
    const folders = requireRows(common_prefixes).map(name => ({ name }))
    yield [...folders, ...rows].toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
  }
}
