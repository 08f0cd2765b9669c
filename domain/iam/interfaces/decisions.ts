import type { PermissionTestReason } from '../../../output/iam/types.ts'
import type { Scope } from '../../ports/scope.ts'
import type { NodeState } from '../../ports/taxonomy.ts'

/**
 * The resource of a call, as policies match it (iam.md 4.1): the resource in the path, or the resource to create, which
 * has no id and at most the sent name. A list has no resource.
 */
export interface CalledResource {
  /** The resource type, for example `vault.secrets`. */
  readonly type: string
  readonly id?: string | undefined
  /** The name in the request for a new resource. Other names are looked up if a statement needs them. */
  readonly name?: string | undefined
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** The resources that contain this resource, nearest first; for the version of a secret: the secret. */
  readonly above?: readonly CalledResource[]
}

/** The circumstances of a decision. */
export interface Circumstances {
  /** The time of the decision in milliseconds since 1970. */
  readonly now: number
  /** The address of the caller. Undefined: conditions on the address are undecided. */
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
  /** The ids of the bindings that grant the permission; empty if no binding does. */
  readonly bindingIds: readonly string[]
  readonly policyId: string
}

/** The rows of a filtered list that a principal may see. */
export type Visibility =
  /** Every row except the rows at the workspaces in `except`. */
  | { readonly kind: 'all'; readonly except?: ReadonlySet<string> }
  /**
   * The rows at these scopes and their descendants, except the rows at the workspaces in `except`. The scopes are the
   * scopes of bindings, and workspaces where a policy allows the permission. No scope is a descendant of another scope
   * in the list. An empty list means no row.
   */
  | { readonly kind: 'below'; readonly scopes: readonly Scope[]; readonly except?: ReadonlySet<string> }

/**
 * Decides whether principals may act. Principals, scopes and roles are cached after their first use (iam.md 4.1, 4.2).
 */
export interface Decisions {
  decide(question: Question): Promise<Decision>
  /**
   * Returns the rows of a list that a principal may see through unexpired bindings and policies. A workspace whose
   * policies have DENY or ALLOW statements about the permission is decided separately.
   */
  visible(principal: string, permission: string, circumstances: Circumstances): Promise<Visibility>
  /**
   * Returns whether a policy of the workspace allows or denies the permission only for certain resources, by their
   * type, id, name or labels.
   */
  hangsOnResource(scope: Scope, permission: string): Promise<boolean>
  /** Returns whether the principal is ACTIVE, and for a service account also its workspace. */
  isActive(principal: string): Promise<boolean>
  /** Returns the scopes from `scope` up to its organisation, then PLATFORM; undefined if `scope` does not exist. */
  chain(scope: Scope): Promise<readonly Scope[] | undefined>
  /** Returns the effective state of a workspace; undefined if the workspace does not exist. */
  stateOf(workspace: string): Promise<NodeState | undefined>
}
