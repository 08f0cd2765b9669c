import { fieldInvalid, orderByInvalid } from '../../../output/shared/errors.ts'
import type { ListObjectsResponse, ObjectSchema, ParsedListObjectsRequest } from '../../../output/storage/types.ts'
import type { ListContext } from '../../../runtime/context.ts'
import type { Filter, SortField, SortKey } from '../../../runtime/filter/types.ts'
import type { Answer } from '../../../runtime/json.ts'
import type { ListQuery, PageWith } from '../../../runtime/pagination.ts'
import type { Reader, Stored, StoredPage, Where, Witness } from '../../ports/store.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import type { BucketReads } from '../buckets/bucket-reads.ts'
import { afterPrefix, nameRange } from './name-range.ts'
import { objectAnswer } from './object-answer.ts'
import { commitField, versionCollection, type StoredVersion } from './versions-store.ts'

type ObjectPage = PageWith<ObjectSchema, Pick<ListObjectsResponse, 'common_prefixes'>>

const delimiter = '/'

/** Lists the objects of a bucket (storage.md 3): the latest versions, or all versions, or names up to a delimiter. */
export async function listObjects(
  buckets: BucketReads,
  reader: Reader,
  request: ParsedListObjectsRequest,
  { query }: ListContext,
): Promise<ObjectPage> {
  requireForm(request, query)
  return buckets.read(request, async (bucket, witness) => {
    const lister = new Lister(reader, bucket, request, witness)
    const answer = await (request.delimiter === '' ? lister.plain(query) : lister.grouped(query))
    return { answer, version: lister.witnessed }
  })
}

function requireForm({ delimiter: given, versions }: ParsedListObjectsRequest, { order }: ListQuery): void {
  if (given === '') return
  if (versions) {
    const description = 'cannot be given together with a delimiter'
    throw fieldInvalid(`versions ${description}`, { badRequest: [{ field: 'versions', description }] })
  }
  const [first] = order
  if (order.length === 1 && first?.field.name === 'name' && !first.descending) return
  const description = 'must be "name asc" or absent, because a delimiter groups names that follow each other'
  throw orderByInvalid(`order_by ${description}`, { badRequest: [{ field: 'order_by', description }] })
}

/** Reads the pages of one list of objects. */
class Lister {
  readonly #reader: Pick<Reader, 'list' | 'page'>
  readonly #bucket: StoredBucket
  readonly #request: ParsedListObjectsRequest
  /** The witness for the first statement. */
  #witness: Witness | undefined
  #witnessed: number | undefined

  constructor(
    reader: Pick<Reader, 'list' | 'page'>,
    bucket: StoredBucket,
    request: ParsedListObjectsRequest,
    witness: Witness,
  ) {
    this.#reader = reader
    this.#bucket = bucket
    this.#request = request
    this.#witness = witness
  }

  /** The version of the bucket at the first statement; undefined if the statement has found no row. */
  get witnessed(): number | undefined {
    return this.#witnessed
  }

  /** Returns a page of objects, or of versions with those of one name newest first. */
  async plain(query: ListQuery): Promise<ObjectPage> {
    const order = this.#request.versions ? [...query.order, newestFirst] : query.order
    const [narrowed, where] = this.#narrowed({ ...query, order }, nameRange(this.#request.prefix))
    const others = { common_prefixes: [] }
    const options = { witness: this.#witness }
    if (this.#bucket.retention_policy === undefined) {
      const { items, next, witnessed } = await this.#reader.list(versionCollection, narrowed, where, options)
      this.#witnessed = witnessed
      return { items, ...(next && { next }), others }
    }
    const { items, next, witnessed } = await this.#reader.page(versionCollection, narrowed, where, options)
    this.#witnessed = witnessed
    return { items: items.map(item => this.#answer(item)), ...(next && { next }), others }
  }

  /**
   * Returns a page of objects and common prefixes. After a common prefix the search goes on behind all of its names. It
   * then expects another common prefix and reads a single row, and more rows after objects, so a page reads at most a
   * few rows for each of its rows, however many names a prefix has.
   */
  async grouped(query: ListQuery): Promise<ObjectPage> {
    const { prefix } = this.#request
    const items: Answer<ObjectSchema>[] = []
    const common_prefixes: string[] = []
    let last: string | undefined
    let { size } = query
    let from: string | undefined = this.#start(query.after)
    while (from !== undefined) {
      const page = await this.#read({ ...query, size, after: undefined }, nameRange(prefix, from))
      for (const item of page.items) {
        const [name] = item.members
        if (last !== undefined && isCommon(last, prefix) && name.startsWith(last)) continue
        if (items.length + common_prefixes.length === query.size)
          return { items, next: [last ?? ''], others: { common_prefixes } }
        const end = name.indexOf(delimiter, prefix.length)
        last = end === -1 ? name : name.slice(0, end + 1)
        if (end === -1) items.push(this.#answer(item))
        else common_prefixes.push(last)
      }
      if (page.next === undefined || last === undefined) return { items, others: { common_prefixes } }
      const isObject = !isCommon(last, prefix)
      if (isObject && items.length + common_prefixes.length === query.size)
        return { items, next: [last], others: { common_prefixes } }
      from = behind(last, prefix)
      size = isObject ? Math.min(size * growth, query.size) : 1
    }
    return { items, others: { common_prefixes } }
  }

  #start(after: readonly SortKey[] | undefined): string | undefined {
    const { prefix } = this.#request
    return after === undefined ? prefix : behind(String(after[0]), prefix)
  }

  /** Reads rows with their names, which would otherwise be parsed. */
  async #read(query: ListQuery, range: readonly Filter[]): Promise<StoredPage<StoredVersion, readonly ['name']>> {
    const witness = this.#witness
    const options = { members: ['name'], witness } as const
    const page = await this.#reader.page(versionCollection, ...this.#narrowed(query, range), options)
    if (witness !== undefined) this.#witnessed = page.witnessed
    this.#witness = undefined
    return page
  }

  /** Returns a query for the rows of the request in a range of names, and the members that all these rows share. */
  #narrowed(query: ListQuery, range: readonly Filter[]): readonly [ListQuery, Where<StoredVersion>] {
    const terms = query.filter === undefined ? range : [...range, query.filter]
    const where: Where<StoredVersion> = this.#request.versions
      ? { bucket_id: this.#bucket.id }
      : { bucket_id: this.#bucket.id, is_latest: true, is_delete_marker: false }
    return [{ ...query, filter: terms.length === 0 ? undefined : { kind: 'and', terms } }, where]
  }

  #answer(stored: Stored<StoredVersion>): Answer<ObjectSchema> {
    return objectAnswer(this.#bucket, stored)
  }
}

/** The factor by which the next read of a page grows after a read that ended at an object. */
const growth = 4

const newestFirst: SortField = { field: commitField, descending: true }

/** Whether the last row of a page was a common prefix: a name with a delimiter behind the prefix is never a row. */
const isCommon = (last: string, prefix: string): boolean => last.includes(delimiter, prefix.length)

/** Returns the first name behind a row: behind all names of a common prefix, or behind the name itself. */
const behind = (last: string, prefix: string): string | undefined =>
  isCommon(last, prefix) ? afterPrefix(last) : `${last}\0`
