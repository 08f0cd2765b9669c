import type { Reader } from '../ports/store.ts'
import { countsBelow, type Below } from './counts.ts'
import { groups, type StoredOrganisation } from './nodes.ts'
import { placesAt, placesOf, type Place, type Places } from './places.ts'

/** What reads have found out about the tree of an organisation; all of it holds for one version of the tree. */
export class TreeView {
  /** That of the row in `trees`: every change of the tree, or of a state in it, makes another. */
  readonly version: number
  readonly #reader: Reader
  readonly #organisation: StoredOrganisation
  readonly #places = new Map<string, Place>()
  readonly #counts = new Map<string, Below>()
  #isWhole = false

  constructor(reader: Reader, organisation: StoredOrganisation, version: number) {
    this.version = version
    this.#reader = reader
    this.#organisation = organisation
  }

  /** How much it holds in memory. */
  get size(): number {
    return this.#places.size + this.#counts.size
  }

  /** The places with these `parent_group_id`s, others beside them. A group that is gone has none. */
  async at(parents: readonly string[]): Promise<Places> {
    const missing = parents.filter(parent => !this.#places.has(parent))
    if (missing.length > 0) this.#keep(await placesAt(this.#reader, this.#organisation, missing))
    return this.#places
  }

  /** All places of the organisation: what queries over inherited fields need. */
  async all(): Promise<Places> {
    if (this.#isWhole) return this.#places
    const found = []
    const where = { organisation_id: this.#organisation.id }
    for await (const { value } of this.#reader.each(groups, where)) found.push(value)
    this.#keep(placesOf(this.#organisation, found))
    this.#isWhole = true
    return this.#places
  }

  /** How much stands below these groups, by their ids, others beside them. */
  async below(ids: readonly string[]): Promise<ReadonlyMap<string, Below>> {
    const missing = ids.filter(id => !this.#counts.has(id))
    if (missing.length > 0) {
      const found = await countsBelow(this.#reader, this.#organisation.id, missing)
      for (const [id, count] of found) this.#counts.set(id, count)
    }
    return this.#counts
  }

  #keep(places: Places): void {
    for (const [id, place] of places) if (!this.#places.has(id)) this.#places.set(id, place)
  }
}
