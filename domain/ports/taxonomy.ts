import type { Scope } from './operations.ts'
import type { Reader, Transaction } from './store.ts'

/** What may be done with a node of the tree, the strictest last. */
export type NodeState = 'ACTIVE' | 'SUSPENDED' | 'ARCHIVED' | 'DELETING'

/** The strictest state of a node and those above it, and the node that it comes from. */
export interface EffectiveState {
  readonly state: NodeState
  /** The nearest to the root where several have the state; the organisation when all are ACTIVE. */
  readonly source: Scope
}

/** What is taken of a quota, in its unit; a negative amount is given back. */
export interface Amount {
  /** `compute.vcpus`. */
  readonly quota: string
  readonly amount: number
}

/** What other areas ask the tree of organisations, groups and workspaces (conventions §10, §11, §14). */
export interface Taxonomy {
  /**
   * Throws WORKSPACE_NOT_ACTIVE unless the workspace is effectively ACTIVE, and WORKSPACE_NOT_FOUND when there is none.
   * In a transaction the organisation is shared first: no mutation that found ACTIVE commits after a suspension was
   * answered. Called before anything else is locked.
   */
  requireActive(tx: Transaction, workspace: string): Promise<void>
  /**
   * Holds the organisation of a node as `requireActive` does, without asking for its state: what is then read of the
   * states of the tree stays so. Called before anything else is locked; does nothing for PLATFORM and when there is no
   * such node.
   */
  share(tx: Transaction, scope: Scope): Promise<void>
  /** Undefined when there is no such node. */
  effectiveState(reader: Reader, scope: Scope): Promise<EffectiveState | undefined>
  /** What a group or workspace lies in, by one read; undefined when there is no such node. */
  parent(reader: Reader, scope: Scope): Promise<Scope | undefined>
  /** The scopes from the node itself up to its organisation; undefined when there is no such node. */
  chain(reader: Reader, scope: Scope): Promise<readonly Scope[] | undefined>
  /** The groups and workspaces below a node, without itself; none when there is no such node. */
  subtree(reader: Reader, scope: Scope): Promise<readonly Scope[]>
  /**
   * Takes amounts for a workspace from every quota on its chain, or throws QUOTA_EXCEEDED, which names the node nearest
   * to the root that has no room. What is given back is never refused; a workspace that is gone has nothing to give.
   * Where the transaction holds the tree alone already, the scopes from the organisation to the workspace name it.
   */
  consume(tx: Transaction, workspace: string | readonly Scope[], amounts: readonly Amount[]): Promise<void>
}

/** Something in a workspace that its users made, by kind. */
export interface Holding {
  /** `network.vpcs`. */
  readonly resourceType: string
  readonly count: number
}

/** Something that keeps a workspace from being deleted by force. */
export interface Protection {
  readonly resourceType: string
  readonly id: string
  /** For people: why, and what lifts it. */
  readonly reason: string
}

/**
 * What an area does when something happens to a workspace (taxonomy.md §4). All of it is idempotent, and may be called
 * for a workspace that is gone.
 */
export interface WorkspaceHooks {
  /** `compute`. */
  readonly area: string
  /**
   * Makes what every workspace has from birth, in the transaction that makes the workspace. For a workspace that was made
   * without the area, a worker calls it later, once; the tree of the organisation is shared then.
   */
  workspaceCreated?(tx: Transaction, workspace: string): Promise<void>
  /**
   * Starts what is missing for the area to follow the state, and answers whether it has; asked again every second until
   * it has. Never called for one workspace twice at once.
   */
  reconcileWorkspace?(workspace: string, state: NodeState): Promise<boolean>
  /** What a workspace holds but for what the platform made at birth. */
  holdings?(reader: Reader, workspace: string): Promise<readonly Holding[]>
  protections?(reader: Reader, workspace: string): Promise<readonly Protection[]>
  /** Deletes all the area has in a workspace. What it throws is tried again every minute. */
  purgeWorkspace?(workspace: string): Promise<void>
}
