import type { PermissionTestReason } from '../../../output/iam/types.ts'
import type { Scope } from '../../ports/scope.ts'

/**
 * The resource of a call, as policies match it (iam.md 4.1): the resource in the path, or the resource to create, which
 * has no id and at most the sent name. A list has no resource.
 */
export interface CalledResource {
  /** The resource type: `vault.secrets`. */
  readonly type: string
  readonly id?: string | undefined
  /** The name that was sent for a new resource. Other names are looked up if a statement needs them. */
  readonly name?: string | undefined
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** The resources that contain it, the nearest first: for a version, its secret. */
  readonly above?: readonly CalledResource[]
}

/** The circumstances of a decision. */
export interface Circumstances {
  /** Milliseconds since 1970. */
  readonly now: number
  /** The caller's address; undefined: conditions on the address are undecided. */
  readonly ip: string | undefined
}

export interface Question {
  readonly principal: string
  readonly permission: string
  readonly scope: Scope
  readonly resource?: CalledResource | undefined
  readonly circumstances: Circumstances
}

export interface Decision {
  readonly reason: PermissionTestReason
  /** The bindings that grant the permission, and the policy that allowed or denied it; empty if there is none. */
  readonly bindingIds: readonly string[]
  readonly policyId: string
}

/** The rows of a filtered list that a principal may see. */
export type Visibility =
  /** Every row except those at the workspaces `except`. */
  | { readonly kind: 'all'; readonly except?: ReadonlySet<string> }
  /**
   * The rows at these scopes and their descendants, except those at the workspaces `except`. The scopes are those of
   * bindings, and workspaces where a policy allows the permission. No scope is a descendant of another. An empty list
   * means no row.
   */
  | { readonly kind: 'below'; readonly scopes: readonly Scope[]; readonly except?: ReadonlySet<string> }

/**
 * Decides the access of principals. Principals, scopes and roles are cached after their first use (iam.md 4.1, 4.2).
 */
export interface Decisions {
  decide(question: Question): Promise<Decision>
  /**
   * Returns the scopes where a principal has a permission through unexpired bindings. DENY and ALLOW statements of
   * policies count too: a workspace with such statements is decided by itself.
   */
  visible(principal: string, permission: string, circumstances: Circumstances): Promise<Visibility>
  /**
   * Whether a policy of the workspace allows or denies the permission depending on the type, name or labels of the
   * resource.
   */
  hangsOnResource(scope: Scope, permission: string): Promise<boolean>
  /** Whether the principal may act at all. */
  isActive(principal: string): Promise<boolean>
  /** Returns the scopes from `scope` up to its organisation, then PLATFORM; undefined if there is no such scope. */
  chain(scope: Scope): Promise<readonly Scope[] | undefined>
}
