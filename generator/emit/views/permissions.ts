import type { Literal, Name, Words } from './code.ts'

/** `permissions.hbs` makes permissions.ts: the document's part of the permission catalogue. */
export interface PermissionsView {
  readonly title: Words
  /** `taxonomyPermissions`. */
  readonly name: Name
  /** The union of the keys: `TaxonomyPermission`. */
  readonly type: Name
  /** By key, at least one. */
  readonly permissions: readonly PermissionRow[]
}

/** A permission key; '' stands for what the document does not say. */
export interface PermissionRow {
  readonly key: Literal
  readonly displayName: Literal
  readonly description: Literal | ''
  readonly class: Literal
  readonly scopeTypes: Literal
  /** '' for what is generally available. */
  readonly stage: Literal | ''
  /** The operations that carry it. */
  readonly operations: Literal
}

/** `permission-bits.hbs` makes permission-bits.ts of the output root, with its head. */
export interface PermissionBitsView {
  /** How many documents the run has. */
  readonly documents: number
  /** In the order of their bits. */
  readonly keys: readonly Literal[]
}
