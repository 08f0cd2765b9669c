import type { PermissionTestReason } from '../../../output/iam/types.ts'
import type { Scope } from '../../ports/scope.ts'

/**
 * The thing a call is about, as policies match it (iam.md 4.1): what the path names, or what is to be made, which has no
 * id and at most the name that was sent. A list has none.
 */
export interface CalledResource {
  /** `vault.secrets`. */
  readonly type: string
  readonly id?: string | undefined
  /** Given for what is created, as it was sent; else looked up when a statement asks for it. */
  readonly name?: string | undefined
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** What it lies in, the nearest first: of a version its secret. */
  readonly above?: readonly CalledResource[]
}

/** The circumstances of a decision. */
export interface Circumstances {
  /** Milliseconds since 1970. */
  readonly now: number
  /** The caller's address; undefined: undecided. */
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
  /** The bindings that give it, and the policy that allowed or denied it; empty where there is none. */
  readonly bindingIds: readonly string[]
  readonly policyId: string
}

/** Who may see which rows of a filtered list. */
export type Visibility =
  /** Every row, but not those at the workspaces `except`. */
  | { readonly kind: 'all'; readonly except?: ReadonlySet<string> }
  /**
   * Rows at these scopes and below them, but not at the workspaces `except`. The scopes are where bindings lie, and
   * workspaces where a policy allows it; none is below another. None: nowhere.
   */
  | { readonly kind: 'below'; readonly scopes: readonly Scope[]; readonly except?: ReadonlySet<string> }

/** Answers who may do what, from memory once a principal, a scope and a role are known (iam.md 4.1, 4.2). */
export interface Decisions {
  decide(question: Question): Promise<Decision>
  /**
   * Where a principal has a permission through bindings that hold now. DENY statements and ALLOW statements of policies
   * count too: a workspace with such is decided by itself.
   */
  visible(principal: string, permission: string, circumstances: Circumstances): Promise<Visibility>
  /** Whether a policy of the workspace tells by its resource, name or labels what it allows or denies of a permission. */
  hangsOnResource(scope: Scope, permission: string): Promise<boolean>
  /** Whether the principal may act at all. */
  isActive(principal: string): Promise<boolean>
  /** The scopes from `scope` up to its organisation, then PLATFORM; undefined when there is no such scope. */
  chain(scope: Scope): Promise<readonly Scope[] | undefined>
}
