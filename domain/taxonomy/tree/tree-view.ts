import type { Reader, Witness } from '../../ports/store.ts'
import { countsBelow, type Below } from './counts.ts'
import { groups, trees, type StoredOrganisation } from './nodes.ts'
import { placesAt, placesOf, type Place, type Places } from './places.ts'

/** What reads have found out about the tree of an organisation; all of it holds for one version of the tree. */
export class TreeView {
  /** That of the row in `trees`: every change of the tree, or of a state in it, makes another. */
  readonly version: number
  /** What all else of the read is read by as well. */
  readonly reader: Reader
  readonly #organisation: StoredOrganisation
  /** Never changed, but replaced: forks may have them too. */
  #places: Places
  #counts: ReadonlyMap<string, Below>
  #isWhole: boolean

  /** Begins with what `from` knows. */
  constructor(reader: Reader, organisation: StoredOrganisation, version: number, from?: TreeView) {
    this.version = version
    this.reader = reader
    this.#organisation = organisation
    this.#places = from ? from.#places : new Map<string, Place>()
    this.#counts = from ? from.#counts : new Map<string, Below>()
    this.#isWhole = from ? from.#isWhole : false
  }

  /**
   * A view for one read, which knows what this one does. What it finds is its own until the read has shown that the tree
   * was still the same: others would take it for true.
   */
  fork(): TreeView {
    return new TreeView(this.reader, this.#organisation, this.version, this)
  }

  /** How much it holds in memory. */
  get size(): number {
    return this.#places.size + this.#counts.size
  }

  /** The places that were found so far, without a look into the store. */
  get known(): Places {
    return this.#places
  }

  /** The places with these `parent_group_id`s, others beside them. A group that is gone has none. */
  async at(parents: readonly string[]): Promise<Places> {
    const missing = parents.filter(parent => !this.#places.has(parent))
    if (missing.length > 0) this.#keep(await placesAt(this.reader, this.#organisation, missing))
    return this.#places
  }

  /** What tells the version of the tree together with other rows. */
  get witness(): Witness {
    return { collection: trees, id: this.#organisation.id }
  }

  /** All places of the organisation: what queries over inherited fields need. */
  async all(): Promise<Places> {
    if (this.#isWhole) return this.#places
    const found = []
    const where = { organisation_id: this.#organisation.id }
    for await (const { value } of this.reader.each(groups, where)) found.push(value)
    this.#keep(placesOf(this.#organisation, found))
    this.#isWhole = true
    return this.#places
  }

  /** How much stands below these groups, by their ids, others beside them. */
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
