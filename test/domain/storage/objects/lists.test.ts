import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { versionCollection } from '../../../../domain/storage/objects/versions-store.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import type { ServerStore } from '../../../../server/store/server-store.ts'
import { seeded } from '../../../areas/random.ts'
import type { Later } from '../../../server/store/harness.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { tenantStorage, type TenantStorage } from '../tenant-storage.ts'
import { inOrder, pageOf, randomName, versionRow, type Listed, type Row, type Terms } from './listed-model.ts'

/** The number of names in the bucket. */
const names = Number(process.env['NINEFOLD_STORAGE_KEYS'] ?? 5000)

/** The number of random lists, of which each is read for a number of pages at most. */
const lists = 40
const pagesOfList = 12

/** A bucket with many versions, of which each is known to the test. */
interface Filled {
  readonly tenant: TenantStorage
  readonly store: ServerStore
  /** The versions, in the order of lists. */
  all: readonly Listed[]
}

let bucket: Filled
let ends: (() => void | Promise<void>)[] = []
const seed = Math.floor(Math.random() * 2 ** 31)
const random = seeded(seed)

beforeAll(async () => {
  bucket = await filled(end => void ends.push(end))
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
  ends = []
})

let commits = 0
const newCommit = (): string => String((commits += 1)).padStart(16, '0')

/** Makes versions of a name, of which the last is the latest, and may be a delete marker. */
function versionsOf(name: string): readonly Listed[] {
  const count = random.percent(80) ? 1 : 2 + random.below(3)
  return Array.from({ length: count }, (_, i) => {
    const isMarker = random.percent(10)
    const size = isMarker ? 0 : random.below(10)
    return {
      name,
      bytes: Buffer.from(name),
      version: crypto.randomUUID(),
      commit: newCommit(),
      size,
      isLatest: i === count - 1,
      isMarker,
    }
  })
}

async function filled(later: Later): Promise<Filled> {
  const tenant = await tenantStorage({ versioning: 'STORAGE_VERSIONING_ENABLED' }, { later })
  const store = await openBeside(tenant.platform.config, storeCollections(areas))
  later(() => store.close())
  const unique = new Set<string>()
  while (unique.size < names) unique.add(randomName(random))
  const all = [...unique].flatMap(name => versionsOf(name))
  for (let at = 0; at < all.length; at += 1000) await insert(store, tenant, all.slice(at, at + 1000))
  return { tenant, store, all: all.toSorted(inOrder) }
}

const insert = (store: ServerStore, { at, workspace }: TenantStorage, some: readonly Listed[]): Promise<void> =>
  store.tx(async tx => {
    for (const each of some) await tx.insert(versionCollection, versionRow(at.bucket, workspace, each))
  })

/** Deletes some names and adds others, one of them beside a row of the last page. */
async function change(near: Row | undefined): Promise<void> {
  const { all, store, tenant } = bucket
  const gone = new Set(Array.from({ length: 3 }, () => random.oneOf(all).name))
  const beside = typeof near === 'string' ? `${near}\u{10ffff}` : `${near?.name ?? ''}!`
  await store.tx(async tx => {
    for (const { version } of all.filter(({ name }) => gone.has(name))) {
      const stored = await tx.lock(versionCollection, version)
      if (stored) await tx.delete(versionCollection, version, stored.version)
    }
  })
  const kept = all.filter(({ name }) => !gone.has(name))
  const added = [randomName(random), beside].filter(name => !kept.some(each => each.name === name))
  const fresh = added.flatMap(versionsOf)
  await insert(store, tenant, fresh)
  bucket.all = fresh.reduce((rows, each) => rows.toSpliced(placeOf(rows, each), 0, each), kept)
}

function placeOf(rows: readonly Listed[], each: Listed): number {
  const at = rows.findIndex(row => inOrder(row, each) > 0)
  return at === -1 ? rows.length : at
}

/** Returns a prefix of a random name, at any character; sometimes no prefix, or a prefix of no name. */
function randomPrefix(): string {
  if (random.percent(25)) return ''
  if (random.percent(10)) return 'nothing/'
  const characters = [...random.oneOf(bucket.all).name]
  return characters.slice(0, random.below(characters.length + 1)).join('')
}

/** Reads a list page by page, and compares each page with the naive list of the rows at this moment. */
async function compare(terms: Terms, size: number, isChanging: boolean): Promise<void> {
  const { at, admin } = bucket.tenant
  const { largerThan, ...asked } = terms
  const filter = largerThan < 0 ? '' : `size > ${largerThan}`
  let page_token = ''
  let after: Row | undefined
  let pages = 0
  do {
    const page = await admin.api.storage.listObjects({ ...at, ...asked, filter, page_size: size, page_token })
    const expected = pageOf(bucket.all, terms, size, after)
    const [prefixes, objects] = [
      expected.rows.filter(row => typeof row === 'string'),
      expected.rows.filter(row => typeof row !== 'string'),
    ]
    expect([page.common_prefixes, page.objects.map(({ version_id }) => version_id)]).toEqual([
      prefixes,
      objects.map(({ version }) => version),
    ])
    expect([pages, terms, page.next_page_token !== '']).toEqual([pages, terms, expected.hasMore])
    after = expected.rows.at(-1)
    page_token = page.next_page_token
    pages += 1
    if (isChanging && page_token !== '') await change(after)
  } while (page_token !== '' && pages < pagesOfList)
}

describe(`lists of ${names} names (seed ${seed})`, () => {
  it('have all names, and all folders of the bucket, over all pages', async () => {
    const { all, tenant } = bucket
    for (const delimiter of ['', '/'] as const) {
      const { rows } = pageOf(all, { prefix: '', delimiter, versions: false, largerThan: -1 }, Infinity, undefined)
      const listed: string[] = []
      let page_token = ''
      do {
        const page = await tenant.admin.api.storage.listObjects({ ...tenant.at, delimiter, page_size: 100, page_token })
        listed.push(...page.objects.map(({ name }) => name), ...page.common_prefixes)
        page_token = page.next_page_token
      } while (page_token !== '')
      expect(listed.toSorted()).toEqual(rows.map(row => (typeof row === 'string' ? row : row.name)).toSorted())
    }
  })

  it('agree page by page with a naive list, also while names come and go', async () => {
    for (let i = 0; i < lists; i += 1) {
      const versions = random.percent(30)
      const terms: Terms = {
        prefix: randomPrefix(),
        delimiter: !versions && random.percent(75) ? '/' : '',
        versions,
        largerThan: random.percent(20) ? random.below(9) : -1,
      }
      await compare(terms, 1 + random.below(random.percent(50) ? 5 : 100), random.percent(50))
    }
  })
})
