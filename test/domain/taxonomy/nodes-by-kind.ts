import type { TaxonomyClient } from '../../../output/taxonomy/client.ts'
import type { TaxonomyOperation } from '../../../output/taxonomy/types.ts'
import type { CallOptions } from '../../../runtime/transport.ts'

export const kinds = ['organisation', 'group', 'workspace'] as const
export type NodeKind = (typeof kinds)[number]

export const verbs = ['suspend', 'resume', 'archive', 'restore'] as const
export type StateVerb = (typeof verbs)[number]

/** A node of any kind; an organisation is its own organisation. */
export interface Node {
  readonly kind: NodeKind
  readonly organisation: string
  readonly id: string
}

/** The members of a node that verbs change or that identify it, common to the three kinds. */
export interface Life {
  readonly name: string
  readonly display_name: string
  readonly etag: string
  readonly state: string
  readonly effective_state: string
  readonly effective_state_source: { readonly scope_type: string; readonly scope_id: string }
  readonly state_reason: string
  readonly state_change_time?: string
  readonly state_changed_by: string
  readonly update_time: string
}

interface VerbBody {
  readonly reason?: string
  readonly etag?: string
}

/** The calls that all kinds of nodes have; the kind of the given node chooses the call. */
export class Nodes {
  readonly #client: TaxonomyClient

  constructor(client: TaxonomyClient) {
    this.#client = client
  }

  get({ id, kind, organisation }: Node): Promise<Life> {
    if (kind === 'organisation') return this.#client.getOrganisation({ id })
    return kind === 'group'
      ? this.#client.getGroup({ organisation, id })
      : this.#client.getWorkspace({ organisation, id })
  }

  change(verb: StateVerb, { id, kind, organisation }: Node, body: VerbBody = {}, options?: CallOptions) {
    if (kind === 'organisation') return this.#client[`${verb}Organisation`]({ id, body }, options)
    if (kind === 'group') return this.#client[`${verb}Group`]({ organisation, id, body }, options)
    return this.#client[`${verb}Workspace`]({ organisation, id, body }, options)
  }

  update({ id, kind, organisation }: Node, body: { display_name: string; etag?: string }, options?: CallOptions) {
    if (kind === 'organisation') return this.#client.updateOrganisation({ id, body }, options)
    if (kind === 'group') return this.#client.updateGroup({ organisation, id, body }, options)
    return this.#client.updateWorkspace({ organisation, id, body }, options)
  }

  /**
   * Moves a group or a workspace and returns the operation; the node must not be an organisation, which cannot be
   * moved.
   */
  move(
    { id, kind, organisation }: Node,
    body: { parent_group_id: string; etag?: string },
    options?: CallOptions,
  ): Promise<TaxonomyOperation> {
    if (kind === 'group') return this.#client.moveGroup({ organisation, id, body }, options)
    return this.#client.moveWorkspace({ organisation, id, body }, options)
  }

  delete({ id, kind, organisation }: Node, etag?: string, options?: CallOptions): Promise<TaxonomyOperation> {
    const precondition = etag === undefined ? {} : { etag }
    if (kind === 'organisation') return this.#client.deleteOrganisation({ id, ...precondition }, options)
    if (kind === 'group') return this.#client.deleteGroup({ organisation, id, ...precondition }, options)
    return this.#client.deleteWorkspace({ organisation, id, ...precondition }, options)
  }
}

export const state = (name: string): string => `TAXONOMY_LIFECYCLE_STATE_${name}`
