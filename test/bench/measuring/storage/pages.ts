import { BucketReads } from '../../../../domain/storage/buckets/bucket-reads.ts'
import { bucketCollection } from '../../../../domain/storage/buckets/buckets-store.ts'
import { listObjects } from '../../../../domain/storage/objects/list-objects.ts'
import { versionCollection, type StoredVersion } from '../../../../domain/storage/objects/versions-store.ts'
import { taxonomyFunctions } from '../../../../domain/taxonomy/functions.ts'
import { objectsList } from '../../../../output/storage/filters.ts'
import { checkOrder } from '../../../../runtime/ordering.ts'
import type { ListQuery } from '../../../../runtime/pagination.ts'
import { areas } from '../../../../server/areas.ts'
import { createClock } from '../../../../server/clock.ts'
import { storeCollections, storeFile, type StorePlace } from '../../../../server/platform-store.ts'
import type { ServerStore } from '../../../../server/store/server-store.ts'
import { addTenant } from '../../../areas/members.ts'
import { callContext } from '../../../call-context.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { postgresDriver, sqliteDriver, type Driver } from '../bare-driver.ts'
import { clockRounds } from '../clock-rounds.ts'
import { insertCopies } from '../copied-rows.ts'
import { measureRounds, median, type Contender } from '../rounds.ts'
import { printGroup } from '../table.ts'
import { overPlace, storeName } from '../vm-bench-place.ts'
import { vmPlatform } from '../vm-platform.ts'
import { meets } from './limits.ts'

/** The objects lie in 1,000 folders; each copy of the rows adds an object to each folder. */
const folders = 1000
const size = 100

/** A page may take this multiple of the bare statements for the same rows. */
const limit = 1.5

/** The runs before a measurement: the first pages of a process cost several times as much as later pages. */
const warmUpRuns = 200

const clock = createClock()
const now = clock.now()

/** The bucket, in the members of a path. */
interface At {
  readonly workspace: string
  readonly engine: 'native'
  readonly bucket: string
}

/** A page of a prefix; with a delimiter, the page has the folders behind a folder. */
interface Asked {
  readonly title: string
  readonly prefix: string
  readonly delimiter: '' | '/'
  readonly after?: string
}

const folderName = (i: number): string => `d${String(i).padStart(4, '0')}/`

const asked: readonly Asked[] = [
  { title: 'the first prefix', prefix: folderName(0), delimiter: '' },
  { title: 'a prefix in the middle', prefix: folderName(folders / 2), delimiter: '' },
  { title: 'the last prefix', prefix: folderName(folders - 1), delimiter: '' },
  { title: 'a prefix in the middle, with a delimiter', prefix: folderName(folders / 2), delimiter: '/' },
  { title: 'the first folders', prefix: '', delimiter: '/' },
  { title: 'folders in the middle', prefix: '', delimiter: '/', after: folderName(folders / 2) },
  { title: 'the last folders', prefix: '', delimiter: '/', after: folderName(folders - size - 1) },
]

/**
 * Prints the time of pages of 100 objects by prefix and by delimiter, in a bucket of 1,000,000 objects, beside the bare
 * statements for the same rows through the same driver: one for a page of objects, and one for each folder of a page of
 * folders. It is CPU time on SQLite and time on the clock on PostgreSQL. The objects are copied rows. Returns whether
 * the pages kept the limit.
 */
export const printPages = (storeUrl: string | undefined, isFull: boolean): Promise<boolean> =>
  overPlace(storeUrl, async (place, later) => {
    const count = isFull ? 1_000_000 : 200_000
    const at = await addBucket(place)
    const store = await openBeside(place, storeCollections(areas))
    later(() => store.close())
    const driver = storeUrl === undefined ? sqliteDriver(storeFile(place.dataDir)) : await postgresDriver(storeUrl)
    later(() => driver.close())
    await fill(store, driver, storeUrl ?? storeFile(place.dataDir), at, count / folders - 1)
    if (storeUrl !== undefined) await driver.prepare('analyze', `ANALYZE ${table}`)()
    let isKept = true
    for (const each of asked) {
      const contenders: readonly Contender[] = [
        { name: 'the bare statements', units: 1, run: barePage(driver, each, at.bucket) },
        { name: 'storage', units: 1, run: pageOf(store, each, at) },
      ]
      const times =
        storeUrl === undefined
          ? (await measureRounds(contenders, { rounds: 9, warmUp: warmUpRuns })).map(median)
          : await clockRounds(contenders, 50, warmUpRuns)
      const [bare = Number.NaN, page = Number.NaN] = times
      printGroup(`${each.title}, ${size} of ${count} objects, ${storeName(storeUrl)}`, [
        ['the bare statements', bare],
        ['storage', page],
      ])
      isKept = meets(`at most ${limit} x`, `${(page / bare).toFixed(2)} x`, page <= limit * bare) && isKept
    }
    return isKept
  })

const table = versionCollection.name

/** Makes a workspace with a bucket. */
async function addBucket(place: StorePlace): Promise<At> {
  const platform = await vmPlatform(place, 0)
  const { workspace } = await addTenant(platform.api, 'acme')
  const engine = 'native'
  const made = await platform.api.storage.createBucket({ workspace, engine, body: { name: 'docs' } })
  await platform.close()
  return { workspace, engine, bucket: made.resource_id }
}

/** Inserts an object in each folder, and copies these rows by a statement of the database. */
async function fill(store: ServerStore, driver: Driver, place: string, at: At, copies: number): Promise<void> {
  const bucket = await store.get(bucketCollection, at.bucket)
  if (!bucket) throw new Error('there is no bucket')
  await store.tx(async tx => {
    for (let i = 0; i < folders; i += 1) await tx.insert(versionCollection, versionAt(at, `${folderName(i)}object`))
  })
  const series = `WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ${copies})`
  await driver.prepare('fill', `${series} ${insertCopies(place, versionCollection, 'n')} FROM ${table}, series`)()
}

function versionAt({ bucket, workspace }: At, name: string): StoredVersion {
  const time = new Date(now).toISOString()
  return {
    workspace_id: workspace,
    bucket_id: bucket,
    name,
    version_id: clock.newId(),
    commit_number: '0000000000000001',
    is_latest: true,
    is_delete_marker: false,
    size: 4096,
    content_type: 'application/octet-stream',
    etag: '5d41402abc4b2a76b9719d911017c592',
    storage_class: 'standard',
    create_time: time,
    update_time: time,
    uploader_principal_id: workspace,
    slot: 'NULL',
    content_id: clock.newId(),
  }
}

/** Returns the page as the call reads it. */
function pageOf(store: ServerStore, { after, delimiter, prefix }: Asked, at: At): () => Promise<unknown> {
  const order = checkOrder('', objectsList)
  const query: ListQuery = { size, filter: undefined, order, after: after === undefined ? undefined : [after], now }
  const request = {
    ...at,
    prefix,
    delimiter,
    versions: false,
    page_size: size,
    page_token: '',
    filter: '',
    order_by: '',
  }
  const buckets = new BucketReads({ store, taxonomy: taxonomyFunctions })
  return () => listObjects(buckets, store, request, { ...callContext(), query })
}

const latest = 'bucket_id = ? AND is_latest = 1 AND is_delete_marker = 0'

/** Returns the statements for a page: the rows of a prefix, or the first object of each folder. */
function barePage(driver: Driver, { after = '', delimiter, prefix, title }: Asked, bucket: string): () => unknown {
  const isFolders = delimiter !== '' && prefix === ''
  const most = isFolders ? 1 : size + 1
  const sql = `SELECT _key, _version, _body, name FROM ${table} WHERE ${latest} AND name >= ? AND name < ? ORDER BY name, _key LIMIT ${most}`
  const statement = driver.prepare(title, sql)
  if (!isFolders) return () => statement(bucket, prefix, `${prefix.slice(0, -1)}0`)
  const first = after === '' ? 0 : Number(after.slice(1, -1)) + 1
  return async () => {
    for (let i = first; i <= Math.min(first + size, folders - 1); i += 1) await statement(bucket, folderName(i), 'e')
  }
}
