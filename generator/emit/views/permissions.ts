import type { Literal, Name, Words } from './code.ts'

/** The view of `permissions.hbs`, which makes permissions.ts: the document's part of the permission catalogue. */
export interface PermissionsView {
  readonly title: Words
  /** The constant: `taxonomyPermissions`. */
  readonly name: Name
  /** The union of the keys: `TaxonomyPermission`. */
  readonly type: Name
  /** The permissions, sorted by key; at least one. */
  readonly permissions: readonly PermissionRow[]
}

/** A permission; a text is '' if the document does not declare the text. */
export interface PermissionRow {
  readonly key: Literal
  readonly displayName: Literal
  readonly description: Literal | ''
  readonly class: Literal
  readonly scopeTypes: Literal
  /** The release stage; '' for a permission that is generally available. */
  readonly stage: Literal | ''
  /** The operations that require the permission. */
  readonly operations: Literal
}

/** The view of `permission-bits.hbs`, which makes permission-bits.ts of the output root including its first lines. */
export interface PermissionBitsView {
  /** The number of documents in the run. */
  readonly documents: number
  /** The permission keys in the order of their bits. */
  readonly keys: readonly Literal[]
}
