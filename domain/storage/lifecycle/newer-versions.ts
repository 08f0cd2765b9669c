import type { SortKey } from '../../../runtime/filter/types.ts'
import type { Reader } from '../../ports/store.ts'
import { newestFirst, versionCollection, type StoredVersion } from '../objects/versions-store.ts'

/** The number of versions that one statement reads. */
const pageSize = 100

/** The number of names whose result is remembered. */
const mostNames = 1000

/** Decides whether versions of a bucket have at least `count` newer versions. Delete markers do not count. */
export class NewerVersions {
  readonly #reader: Reader
  readonly #bucket: string
  readonly #count: number
  /** The commit numbers of the `count`-th newest versions, by the names of the objects. */
  readonly #limits = new Map<string, string>()

  constructor(reader: Reader, bucket: string, count: number) {
    this.#reader = reader
    this.#bucket = bucket
    this.#count = count
  }

  /** Returns whether a version has enough newer versions. The versions of a name are read once. */
  async areAbove({ commit_number, name }: Pick<StoredVersion, 'commit_number' | 'name'>): Promise<boolean> {
    const limit = this.#limits.get(name) ?? (await this.#limitOf(name))
    if (this.#limits.size === mostNames) this.#limits.clear()
    this.#limits.set(name, limit)
    return commit_number < limit
  }

  /** Returns the commit number of the `count`-th newest version of a name; empty if there are fewer versions. */
  async #limitOf(name: string): Promise<string> {
    const where = { bucket_id: this.#bucket, name, is_delete_marker: false }
    let left = this.#count
    let after: readonly SortKey[] | undefined
    do {
      const query = { size: Math.min(left, pageSize), filter: undefined, order: newestFirst, after, now: 0 }
      const { items, next } = await this.#reader.page(versionCollection, query, where)
      left -= items.length
      if (left === 0) return items.at(-1)?.value.commit_number ?? ''
      after = next
    } while (after !== undefined)
    return ''
  }
}
