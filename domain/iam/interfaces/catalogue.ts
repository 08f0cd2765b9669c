import type { AccessClass, Permission, ScopeKind } from '../../../output/iam/types.ts'

/** One permission, with the bit that stands for it in sets. */
export interface CataloguePermission extends Permission {
  /** Its place in `output/permission-bits.ts`, which never changes its meaning. */
  readonly bit: number
  readonly access_class: AccessClass
  readonly scope_types: ScopeKind[]
}

/** The permissions of the nine documents, and those that are gone from them (stage RETIRED, which grant nothing). */
export interface Catalogue {
  /** By key, ascending. */
  readonly permissions: readonly CataloguePermission[]
  /** Undefined for a key that never was. */
  find(key: string): CataloguePermission | undefined
  /** The resource types that permissions are about: `vault.secrets`. */
  readonly resourceTypes: ReadonlySet<string>
  /** Those that are not retired and fit a pattern: a key, `<service>.<resource>.*`, `<service>.*` or `*`. */
  matching(pattern: string): readonly CataloguePermission[]
}
