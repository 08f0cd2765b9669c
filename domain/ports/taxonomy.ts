import type { Reader, Transaction } from './store.ts'
import type { Scope } from './scope.ts'

/** The kind of the durable work that purges a workspace: the areas delete its rows one after the other. */
export const workspacePurge = 'taxonomy.purge'

/** The states of a node of the tree, in ascending order of strictness. */
export type NodeState = 'ACTIVE' | 'SUSPENDED' | 'ARCHIVED' | 'DELETING'

/** The strictest state among a node and its ancestors, and the node that has this state. */
export interface EffectiveState {
  readonly state: NodeState
  /** The topmost node with this state; the organisation if all nodes are ACTIVE. */
  readonly source: Scope
}

/** An amount of a quota, in the unit of the quota. A negative amount is returned to the quota. */
export interface Amount {
  /** The id of the quota, for example `compute.vcpus`. */
  readonly quota: string
  readonly amount: number
}

/** The names of a workspace and of its organisation. */
export interface WorkspaceNames {
  readonly organisation: string
  readonly workspace: string
}

/**
 * The functions of taxonomy for other areas: reads of the tree, and the quotas of subtrees (conventions §10, §11, §14).
 */
export interface Taxonomy {
  /**
   * Throws WORKSPACE_NOT_ACTIVE unless the workspace is effectively ACTIVE, and WORKSPACE_NOT_FOUND if the workspace
   * does not exist. `requireActive` shares the organisation first, so a mutation that found ACTIVE never commits after
   * the response to a suspension. Call `requireActive` before the transaction locks any other row.
   */
  requireActive(tx: Transaction, workspace: string): Promise<void>
  /**
   * Throws WORKSPACE_NOT_ACTIVE or WORKSPACE_NOT_FOUND as `requireActive` does, but without a lock: for reads of protected
   * content, whose answers need not wait for a suspension.
   */
  checkActive(reader: Reader, workspace: string): Promise<void>
  /**
   * Shares the organisation of a node as `requireActive` does, but does not check any state. The states of the tree
   * then stay as the transaction reads them. Call `share` before the transaction locks any other row. Does nothing for
   * PLATFORM or an absent node.
   */
  share(tx: Transaction, scope: Scope): Promise<void>
  /** Returns the effective state of a node; undefined if the node does not exist. */
  effectiveState(reader: Reader, scope: Scope): Promise<EffectiveState | undefined>
  /**
   * Returns the parent of a group or workspace, by one read; undefined for other scopes and if the node does not exist.
   */
  parent(reader: Reader, scope: Scope): Promise<Scope | undefined>
  /**
   * Returns the scopes from the node itself up to its organisation; undefined for PLATFORM and if the node does not
   * exist.
   */
  chain(reader: Reader, scope: Scope): Promise<readonly Scope[] | undefined>
  /**
   * Returns the groups and workspaces below a node, without the node itself; an empty list if the node does not exist.
   */
  subtree(reader: Reader, scope: Scope): Promise<readonly Scope[]>
  /**
   * Returns the names of a workspace and of its organisation, neither of which ever changes; undefined if the workspace
   * does not exist.
   */
  namesOf(reader: Reader, workspace: string): Promise<WorkspaceNames | undefined>
  /** Returns the time at which a workspace was created, as answers show it; undefined if the workspace does not exist. */
  createTimeOf(reader: Reader, workspace: string): Promise<string | undefined>
  /**
   * Returns the id of the workspace with this name in the organisation with this name; undefined if there is none.
   */
  workspaceNamed(reader: Reader, organisation: string, workspace: string): Promise<string | undefined>
  /**
   * Throws QUOTA_EXCEEDED as `consume` would now for an amount, but takes nothing and locks nothing: for a refusal before
   * costly work, at whose end `consume` decides. Costs several reads.
   */
  requireRoom(reader: Reader, workspace: string, amount: Amount): Promise<void>
  /**
   * Takes amounts for a workspace from every quota on its chain. Throws QUOTA_EXCEEDED, which names the topmost node
   * without room. A negative amount is never refused, and a deleted workspace has nothing to return. If the transaction
   * has locked the tree, the caller may pass the scopes from the organisation to the workspace instead of the id. With
   * `isMeasured`, the amounts are in use already, so that no amount is refused.
   */
  consume(
    tx: Transaction,
    workspace: string | readonly Scope[],
    amounts: readonly Amount[],
    options?: { readonly isMeasured?: boolean },
  ): Promise<void>
}

/** The number of resources of one type that users created in a workspace. */
export interface Holding {
  /** The type of the resources, for example `network.vpcs`. */
  readonly resourceType: string
  readonly count: number
}

/** A resource that prevents the forced deletion of its workspace. */
export interface Protection {
  readonly resourceType: string
  readonly id: string
  /** The reason, and the way to remove the protection, as a message for people. */
  readonly reason: string
}

/**
 * The hooks of an area for events of a workspace (taxonomy.md §4). All hooks are idempotent, and may be called for a
 * deleted workspace.
 */
export interface WorkspaceHooks {
  /** The name of the area: `compute`. */
  readonly area: string
  /**
   * Creates the initial rows of a new workspace, in the transaction that creates the workspace. If a server without the
   * area created the workspace, a worker calls the hook once, later, while the tree of the organisation is shared.
   */
  workspaceCreated?(tx: Transaction, workspace: string): Promise<void>
  /**
   * Starts the changes that the state of a workspace requires in the area, and returns true once all of them are done.
   * Taxonomy repeats the call every second until the hook returns true, and never calls the hook concurrently for one
   * workspace.
   */
  reconcileWorkspace?(workspace: string, state: NodeState): Promise<boolean>
  /** Counts the resources in a workspace, except the initial rows. */
  holdings?(reader: Reader, workspace: string): Promise<readonly Holding[]>
  /** Returns the resources of a workspace that prevent its forced deletion. */
  protections?(reader: Reader, workspace: string): Promise<readonly Protection[]>
  /** Deletes all rows of the area in a workspace. A failed call is retried every minute. */
  purgeWorkspace?(workspace: string): Promise<void>
}
