import type { AccessClass, Permission, ScopeKind } from '../../../output/iam/types.ts'

/** A permission with its bit in permission sets. */
export interface CataloguePermission extends Permission {
  /** The position in `output/permission-bits.ts`. A position is never reused for another permission. */
  readonly bit: number
  readonly access_class: AccessClass
  readonly scope_types: ScopeKind[]
}

/** The permissions of the nine documents, and the removed permissions (stage RETIRED), which grant nothing. */
export interface Catalogue {
  /** The permissions, sorted by key, ascending. */
  readonly permissions: readonly CataloguePermission[]
  /** Returns the permission with a key; undefined for a key that never existed. */
  find(key: string): CataloguePermission | undefined
  /** The resource types of the permissions, for example `vault.secrets`. */
  readonly resourceTypes: ReadonlySet<string>
  /** Returns the active permissions that match a pattern: a key, `<service>.<resource>.*`, `<service>.*` or `*`. */
  matching(pattern: string): readonly CataloguePermission[]
}
