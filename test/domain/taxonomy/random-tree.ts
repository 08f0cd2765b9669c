import type { TaxonomyClient } from '../../../output/taxonomy/client.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { Nodes, state, type Node, type NodeKind, type StateVerb } from './nodes-by-kind.ts'
import { TreeMaker } from './platform.ts'

const strictness = ['ACTIVE', 'SUSPENDED', 'ARCHIVED'] as const
type State = (typeof strictness)[number]

/** A node of the model, which is simple and slow. */
interface ModelNode extends Node {
  readonly parent: ModelNode | undefined
  own: State
  /** The own state of the node before it was archived. */
  earlier: State
}

/** A verb on the node with this number, modulo the number of nodes. */
export interface Step {
  readonly node: number
  readonly verb: StateVerb
}

/** The result of a verb: whether work follows, or the reason of the refusal. */
export type Outcome = { readonly isPending: boolean } | { readonly reason: string; readonly allowed?: string }

const allowedFrom: Readonly<Record<StateVerb, readonly State[]>> = {
  suspend: ['ACTIVE'],
  resume: ['SUSPENDED'],
  archive: ['ACTIVE', 'SUSPENDED'],
  restore: ['ARCHIVED'],
}

/** A random tree, with a model that predicts the result of each verb. */
export class RandomTree {
  readonly #client: TaxonomyClient
  readonly #nodes: readonly ModelNode[]

  private constructor(client: TaxonomyClient, nodes: readonly ModelNode[]) {
    this.#client = client
    this.#nodes = nodes
  }

  /**
   * Creates a tree. Each number of `shape` chooses the parent of a group or workspace among the organisation and the
   * earlier groups.
   */
  static async grow(
    client: TaxonomyClient,
    name: string,
    shape: { readonly groups: readonly number[]; readonly workspaces: readonly number[] },
  ): Promise<RandomTree> {
    const tree = await TreeMaker.make(client, name)
    const nodeOf = (kind: NodeKind, id: string, parent?: ModelNode): ModelNode => ({
      kind,
      organisation: tree.organisation,
      id,
      parent,
      own: 'ACTIVE',
      earlier: 'ACTIVE',
    })
    const root = nodeOf('organisation', tree.organisation)
    const parents = [root]
    const pick = (choice: number): ModelNode => parents[choice % parents.length] ?? root
    const idOf = (node: ModelNode): string => (node === root ? '' : node.id)
    for (const [i, choice] of shape.groups.entries()) {
      const parent = pick(choice)
      parents.push(nodeOf('group', await tree.group(`g-${i}`, idOf(parent)), parent))
    }
    const nodes = [...parents]
    for (const [i, choice] of shape.workspaces.entries()) {
      const parent = pick(choice)
      nodes.push(nodeOf('workspace', await tree.workspace(`w-${i}`, idOf(parent)), parent))
    }
    return new RandomTree(client, nodes)
  }

  /** Applies a step to the platform and to the model; returns both results. */
  async take({ node: choice, verb }: Step): Promise<{ readonly answered: Outcome; readonly expected: Outcome }> {
    const node = this.#nodes[choice % this.#nodes.length]
    if (node === undefined) throw new Error('the tree has no nodes')
    const expected = this.#model(node, verb)
    try {
      const { status } = await new Nodes(this.#client).change(verb, node)
      return { answered: { isPending: status === 'TAXONOMY_OPERATION_STATUS_PENDING' }, expected }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const { metadata, reason } = error
      const allowed = metadata['allowed_states']
      return { answered: { reason, ...(allowed !== undefined && { allowed }) }, expected }
    }
  }

  /** Returns the effective state of each workspace in the model, keyed by id. */
  expected(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#workspaces().map(node => [node.id, state(effective(node))]))
  }

  /** Returns the effective state of each workspace on the platform, keyed by id. */
  async shown(): Promise<Readonly<Record<string, string>>> {
    const [{ organisation = '' } = {}] = this.#nodes
    const { workspaces } = await this.#client.listWorkspaces({ organisation, page_size: 100 })
    return Object.fromEntries(workspaces.map(({ effective_state, id }) => [id, effective_state]))
  }

  #model(node: ModelNode, verb: StateVerb): Outcome {
    if (node.parent && effective(node.parent) !== 'ACTIVE') return { reason: 'PARENT_NOT_ACTIVE' }
    const allowed = allowedFrom[verb]
    if (!allowed.includes(node.own)) {
      return { reason: `${node.kind.toUpperCase()}_STATE_INVALID`, allowed: allowed.map(state).join(',') }
    }
    const before = this.expected()
    const to = { suspend: 'SUSPENDED', resume: 'ACTIVE', archive: 'ARCHIVED', restore: node.earlier } as const
    const next = to[verb]
    if (verb === 'archive') node.earlier = node.own
    node.own = next
    const after = this.expected()
    return { isPending: Object.keys(after).some(id => after[id] !== before[id]) }
  }

  #workspaces(): readonly ModelNode[] {
    return this.#nodes.filter(({ kind }) => kind === 'workspace')
  }
}

function effective(node: ModelNode): State {
  const above = node.parent ? effective(node.parent) : 'ACTIVE'
  return strictness.indexOf(node.own) > strictness.indexOf(above) ? node.own : above
}
