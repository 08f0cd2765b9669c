import type { AreaTypes } from '../../runtime/route.ts'
import type { Updated } from '../../runtime/field-mask.ts'
import type { Effect } from '../ports/operations.ts'
import type { Transaction } from '../ports/store.ts'
import type { Resource } from './kind.ts'

/** The standard members of a new row, which the platform sets. */
export type Standard = Pick<Resource, 'id' | 'etag' | 'update_time'> & {
  readonly create_time: string
  readonly workspace_id: string
  readonly engine: string
}

/**
 * The parts of an operation's effect that a handler adds; `resourceType` and `resourceId` name another resource than the
 * row, such as the new version of a key.
 */
export type Left<Area extends AreaTypes> = Partial<
  Pick<Effect<Area>, 'procedure' | 'warnings' | 'resourceType' | 'resourceId'>
>

/** The parts of an operation's effect that a handler adds, and further members to set in the row. */
export type More<T, Area extends AreaTypes> = Left<Area> & { readonly members?: Partial<T> }

/** The changes of a mutation, and the members that it removes from the row. */
export type VerbChange<T, Area extends AreaTypes> = More<T, Area> & { readonly cleared?: readonly (keyof T & string)[] }

/** The rules of an area for one creation, in addition to the checks of all kinds; each step is optional. */
export interface Creation<T, Area extends AreaTypes> {
  /**
   * Step 12, before the row is written: checks the rows to which the new row refers outside of its declared references.
   */
  readonly refer?: (tx: Transaction) => Promise<void>
  /**
   * Step 13, after the unique sets are checked, and unless `complete` is given after the row is written: throws if
   * another row excludes the new row, for example by an overlap.
   */
  readonly exclude?: (tx: Transaction) => Promise<void>
  /** Steps 14 and 15, after the row is written: takes quotas, then capacity. */
  readonly count?: (tx: Transaction, operationId: string) => Promise<Left<Area> | void>
  /**
   * Steps 14 and 15 for a row that stores a part of what they give, such as an address: takes quotas, then capacity, and
   * returns the row to write. The unique sets are then checked before these steps, and the row is written once, at the
   * end.
   */
  readonly complete?: (tx: Transaction, operationId: string) => Promise<Left<Area> & { readonly row: T }>
}

/** The rules of an area for one update. */
export interface Update<T, Area extends AreaTypes> {
  /** Step 7 for path parameters of the row that belong to no declared parent: throws `*_NOT_FOUND`. */
  readonly above?: () => void
  /** Step 7 for the row that is found at the place of the path: throws `*_NOT_FOUND` if the path means another row. */
  readonly found?: (row: T) => void
  /**
   * Returns the values, in the form of bodies, of members that the body leaves out, and that have another value then than
   * their default.
   */
  readonly absent?: (before: T) => { readonly [Member in keyof T]?: unknown }
  /** Step 12, before the row is written: receives the new values of the row, the changed paths and the old row. */
  readonly refer?: (tx: Transaction, update: Updated<T>, before: T) => Promise<VerbChange<T, Area> | void>
  /** Step 13, after the row is written and its unique sets are checked: throws if another row excludes the change. */
  readonly exclude?: (tx: Transaction, update: Updated<T>, before: T) => Promise<void>
  /** Steps 14 and 15, after the row is written: takes quotas, then capacity. */
  readonly count?: (tx: Transaction, update: Updated<T>, before: T) => Promise<Left<Area> | void>
}

/** The rules of an area for one deletion. */
export interface Deletion<T, Area extends AreaTypes> {
  /** Locks the rows that must be locked before the row, after the organisation is shared. */
  readonly lockFirst?: (tx: Transaction) => Promise<void>
  /** Step 7 for path parameters of the row that belong to no declared parent: throws `*_NOT_FOUND`. */
  readonly above?: () => void
  /** Step 7 for the row that is found at the place of the path: throws `*_NOT_FOUND` if the path means another row. */
  readonly found?: (row: T) => void
  /** Releases the capacity and the rows that belong to the row, after the row is deleted. */
  readonly release?: (tx: Transaction, row: T) => Promise<Left<Area> | void>
}
