import type { Reader, Witness } from '../../ports/store.ts'
import { countsBelow, type Below } from './counts.ts'
import { groups, trees, type StoredOrganisation } from './nodes.ts'
import { placesAt, placesOf, type TreePlace, type Places } from './places.ts'

/** The places and counts of an organisation that reads have cached, for one version of its tree. */
export class TreeView {
  /** The version of the row in `trees`: every change of the tree, or of a state in it, raises it. */
  readonly version: number
  /** The reader for all statements of the read. */
  readonly reader: Reader
  readonly #organisation: StoredOrganisation
  /** The known places. The maps are replaced, never changed, because forks may share them. */
  #places: Places
  #counts: ReadonlyMap<string, Below>
  #isWhole: boolean

  /** Makes a view that begins with the places and counts of `from`. */
  constructor(reader: Reader, organisation: StoredOrganisation, version: number, from?: TreeView) {
    this.version = version
    this.reader = reader
    this.#organisation = organisation
    this.#places = from ? from.#places : new Map<string, TreePlace>()
    this.#counts = from ? from.#counts : new Map<string, Below>()
    this.#isWhole = from ? from.#isWhole : false
  }

  /**
   * Returns a view for one read, with the cached places and counts of this view. The read adds places and counts to the
   * fork only: they may be wrong until the read has proved that the version of the tree is still the same.
   */
  fork(): TreeView {
    return new TreeView(this.reader, this.#organisation, this.version, this)
  }

  /** The number of cached places and counts. */
  get size(): number {
    return this.#places.size + this.#counts.size
  }

  /** The known places, without a read of the store. */
  get known(): Places {
    return this.#places
  }

  /** Returns the places with these `parent_group_id`s, and perhaps further places. A deleted group has no place. */
  async at(parents: readonly string[]): Promise<Places> {
    const missing = parents.filter(parent => !this.#places.has(parent))
    if (missing.length > 0) this.#keep(await placesAt(this.reader, this.#organisation, missing))
    return this.#places
  }

  /** The witness that returns the version of the tree together with other rows. */
  get witness(): Witness {
    return { collection: trees, id: this.#organisation.id }
  }

  /** Returns all places of the organisation, for queries over inherited fields. */
  async all(): Promise<Places> {
    if (this.#isWhole) return this.#places
    const found = []
    const where = { organisation_id: this.#organisation.id }
    for await (const { value } of this.reader.each(groups, where)) found.push(value)
    this.#keep(placesOf(this.#organisation, found))
    this.#isWhole = true
    return this.#places
  }

  /** Returns the numbers of descendants of these groups, keyed by group id. The map may contain further groups. */
  async below(ids: readonly string[]): Promise<ReadonlyMap<string, Below>> {
    const missing = ids.filter(id => !this.#counts.has(id))
    if (missing.length > 0) {
      const found = await countsBelow(this.reader, this.#organisation.id, missing)
      this.#counts = new Map([...this.#counts, ...found])
    }
    return this.#counts
  }

  #keep(places: Places): void {
    this.#places = new Map([...places, ...this.#places])
  }
}
