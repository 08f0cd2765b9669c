import { printRows, type OutputForm } from '../answer-printer.ts'
import { connected, openBucket, type Connected, type OpenBucket, type PlaceFlags } from './bucket.ts'
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

async function* bucketPages({ api, at }: Connected): AsyncGenerator<readonly object[], void, undefined> {
  for (let page_token: string | undefined = ''; page_token !== undefined;) {
    const { buckets, next_page_token } = await api.listBuckets({ ...at, ...(page_token && { page_token }) })
    yield buckets.map(({ create_time, id, name, state, usage }) => ({
      name,
      id,
      state,
      objects: usage.object_count,
      bytes: usage.bytes,
      create_time,
    }))
    page_token = next_page_token || undefined
  }
}

async function* objectPages(
  { api, at }: OpenBucket,
  prefix: string,
  delimiter: string,
): AsyncGenerator<readonly object[], void, undefined> {
  for (let page_token: string | undefined = ''; page_token !== undefined;) {
    const asked = { ...at, prefix, delimiter, page_size: 100, ...(page_token && { page_token }) }
    const { common_prefixes, next_page_token, objects } = await api.listObjects(asked)
    const rows = objects.map(({ content_type, create_time, etag, name, size }) => ({
      name,
      size,
      content_type,
      create_time,
      etag,
    }))
    const folders = common_prefixes.map(name => ({ name }))
    yield [...folders, ...rows].toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
    page_token = next_page_token || undefined
  }
}
