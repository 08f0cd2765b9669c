import type { Literal, Name } from './code.ts'

/** The view of `area.hbs`, which makes area.ts: the area for a server. */
export interface AreaView {
  /** The constant: `taxonomyArea`. */
  readonly name: Name
  /** The type of the area's operations: `TaxonomyArea`. */
  readonly type: Name
  /** The union of `resourceTypes`: `TaxonomyResourceType`. */
  readonly resourceType: Name
  /** The resource types, sorted by code unit; at least one. */
  readonly resourceTypes: readonly Literal[]
  /** The operation types without their prefix; at least one. */
  readonly operationTypes: readonly Literal[]
  /** The type of an operation's record. */
  readonly record: Name
  /** The interface of all handlers. */
  readonly handlers: Name
  /** The runtime's type of an area. */
  readonly GeneratedArea: Name
  /** The constants that are the members of the area. */
  readonly domain: Name
  readonly list: Name
  readonly check: Name
  readonly filters: Name
  readonly permissions: Name
  readonly routes: Name
}
