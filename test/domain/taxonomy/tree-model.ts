import { after, type NodeLife, type OwnState, type Verb } from './state-model.ts'

/** The quotas in the model. */
export const quotas = ['compute.vcpus', 'taxonomy.groups', 'taxonomy.workspaces'] as const
export type Quota = (typeof quotas)[number]

const defaults: Readonly<Record<Quota, number>> = {
  'compute.vcpus': 256,
  'taxonomy.groups': 300,
  'taxonomy.workspaces': 100,
}

export type NodeKind = 'ORGANISATION' | 'GROUP' | 'WORKSPACE'

/** A node of the model; a deleted node stays, so that calls on it can be checked. */
export interface ModelNode {
  readonly kind: NodeKind
  readonly id: string
  readonly name: string
  parent: ModelNode | undefined
  life: NodeLife
  isGone: boolean
  /**
   * The total vcpus of the resources in a workspace. `things` is the number of these resources, and `isProtected` is
   * true if one of the resources prevents the deletion of the workspace.
   */
  vcpus: number
  things: number
  isProtected: boolean
  /** The limits at this node, keyed by quota. */
  readonly limits: Map<Quota, number>
}

/**
 * The possible results of a call: only `OK`, or the possible reasons of a refusal. Several reasons are possible if no
 * rule orders their checks.
 */
export type Outcomes = readonly string[]

const ok: Outcomes = ['OK']
const order: readonly OwnState[] = ['ACTIVE', 'SUSPENDED', 'ARCHIVED', 'DELETING']

/**
 * The rules of the area (taxonomy.md, conventions §4) on plain objects. The model is simple and slow: each method
 * counts from scratch. The method with the name of a call returns its possible results, and applies the call if the
 * result is OK.
 */
export class TreeModel {
  readonly nodes: ModelNode[] = []

  add(kind: NodeKind, id: string, name: string, parent?: ModelNode): ModelNode {
    const node: ModelNode = {
      kind,
      id,
      name,
      parent,
      life: { state: 'ACTIVE' },
      isGone: false,
      vcpus: 0,
      things: 0,
      isProtected: false,
      limits: new Map(),
    }
    this.nodes.push(node)
    return node
  }

  create(kind: 'GROUP' | 'WORKSPACE', name: string, parent: ModelNode): Outcomes {
    // A deleted parent has no state; the state of its organisation decides.
    const [organisation = parent] = chain(parent)
    if (effective(isPlace(parent) ? parent : organisation).state !== 'ACTIVE') return ['PARENT_NOT_ACTIVE']
    if (!isPlace(parent)) return ['GROUP_PARENT_NOT_FOUND']
    const isTooDeep = kind === 'GROUP' && depth(parent) + 1 > 10
    const isTaken = this.#living.some(
      node => node.kind === kind && node.name === name && (kind === 'WORKSPACE' || node.parent === parent),
    )
    const refusals = [...(isTooDeep ? ['GROUP_DEPTH_EXCEEDED'] : []), ...(isTaken ? [`${kind}_ALREADY_EXISTS`] : [])]
    if (refusals.length > 0) return refusals
    return this.#hasRoom(kind === 'GROUP' ? 'taxonomy.groups' : 'taxonomy.workspaces', chain(parent), 1)
  }

  move(node: ModelNode, to: ModelNode): Outcomes {
    if (node.isGone) return [`${node.kind}_NOT_FOUND`]
    const places = [node.parent, ...(isPlace(to) ? [to] : [])]
    if (places.some(place => place && effective(place).state !== 'ACTIVE')) return ['PARENT_NOT_ACTIVE']
    if (node.life.state !== 'ACTIVE' && node.life.state !== 'SUSPENDED') return [`${node.kind}_STATE_INVALID`]
    if (!isPlace(to)) return ['GROUP_PARENT_NOT_FOUND']
    if (to === node.parent) return ok
    if (chain(to).includes(node)) return ['GROUP_MOVE_CYCLE']
    const isTooDeep = node.kind === 'GROUP' && depth(to) + this.#height(node) > 10
    const isTaken =
      node.kind === 'GROUP' && this.#living.some(each => isTwin(each, node) && each.parent === to && each !== node)
    const refusals = [...(isTooDeep ? ['GROUP_DEPTH_EXCEEDED'] : []), ...(isTaken ? ['GROUP_ALREADY_EXISTS'] : [])]
    if (refusals.length > 0) return refusals
    const entered = chain(to).filter(place => !chain(node).includes(place))
    const itself: Readonly<Record<Quota, number>> = {
      'compute.vcpus': 0,
      'taxonomy.groups': Number(node.kind === 'GROUP'),
      'taxonomy.workspaces': Number(node.kind === 'WORKSPACE'),
    }
    const isFull = quotas.some(quota => {
      const amount = this.usage(quota, node) + itself[quota]
      return amount > 0 && this.#hasRoom(quota, entered, amount) !== ok
    })
    return isFull ? ['QUOTA_EXCEEDED'] : ok
  }

  change(node: ModelNode, verb: Verb): Outcomes {
    if (node.isGone) return [`${node.kind}_NOT_FOUND`]
    if (node.parent && effective(node.parent).state !== 'ACTIVE') return ['PARENT_NOT_ACTIVE']
    return after(node.life, verb) ? ok : [`${node.kind}_STATE_INVALID`]
  }

  delete(node: ModelNode, force: boolean): Outcomes {
    if (node.isGone) return [`${node.kind}_NOT_FOUND`]
    if (effective(node).state !== 'ARCHIVED') return [`${node.kind}_STATE_INVALID`]
    if (node.kind !== 'WORKSPACE') return this.below(node).length > 0 ? [`${node.kind}_NOT_EMPTY`] : ok
    if (!force && node.things > 0) return ['WORKSPACE_NOT_EMPTY']
    return force && node.isProtected ? ['WORKSPACE_PROTECTED'] : ok
  }

  createLimit(quota: Quota, node: ModelNode): Outcomes {
    const isCapless = node.kind === 'WORKSPACE' && quota !== 'compute.vcpus'
    if (node.isGone || isCapless) return ['QUOTA_OVERRIDE_SCOPE_INVALID']
    return node.limits.has(quota) ? ['QUOTA_OVERRIDE_ALREADY_EXISTS'] : ok
  }

  addThing(workspace: ModelNode, vcpus: number): Outcomes {
    if (workspace.isGone) return ['WORKSPACE_NOT_FOUND']
    if (effective(workspace).state !== 'ACTIVE') return ['WORKSPACE_NOT_ACTIVE']
    return this.#hasRoom('compute.vcpus', chain(workspace), vcpus)
  }

  /** Returns the existing nodes below a node, at any depth. */
  below(node: ModelNode): readonly ModelNode[] {
    return this.#living.filter(each => each !== node && chain(each).includes(node))
  }

  usage(quota: Quota, node: ModelNode): number {
    if (quota === 'compute.vcpus') return [node, ...this.below(node)].reduce((sum, { vcpus }) => sum + vcpus, 0)
    const kind = quota === 'taxonomy.groups' ? 'GROUP' : 'WORKSPACE'
    return this.below(node).filter(each => each.kind === kind).length
  }

  /**
   * Returns the smallest limit on the way to a node, and the smallest remaining amount of all these limits, at least 0;
   * both are -1 if no node on the way has a limit.
   */
  room(quota: Quota, node: ModelNode): { readonly limit: number; readonly available: number } {
    const limited = chain(node).filter(each => limitAt(each, quota) >= 0)
    if (limited.length === 0) return { limit: -1, available: -1 }
    const left = limited.map(each => limitAt(each, quota) - this.usage(quota, each))
    const limit = Math.min(...limited.map(each => limitAt(each, quota)))
    return { limit, available: Math.max(0, Math.min(...left)) }
  }

  get #living(): readonly ModelNode[] {
    return this.nodes.filter(({ isGone }) => !isGone)
  }

  #hasRoom(quota: Quota, places: readonly ModelNode[], amount: number): Outcomes {
    const isFull = places.some(place => {
      const limit = limitAt(place, quota)
      return limit >= 0 && this.usage(quota, place) + amount > limit
    })
    return isFull ? ['QUOTA_EXCEEDED'] : ok
  }

  #height(group: ModelNode): number {
    const deepest = this.below(group).filter(({ kind }) => kind === 'GROUP')
    return Math.max(0, ...deepest.map(each => depth(each) - depth(group))) + 1
  }
}

/** Returns the nodes from the organisation to this node, with both ends. */
export function chain(node: ModelNode): readonly ModelNode[] {
  return node.parent ? [...chain(node.parent), node] : [node]
}

/** Returns the strictest state on the way to a node, and the first node with this state. */
export function effective(node: ModelNode): { readonly state: OwnState; readonly source: ModelNode } {
  const way = chain(node)
  const state = order.findLast(each => way.some(({ life }) => life.state === each)) ?? 'ACTIVE'
  return { state, source: way.find(({ life }) => life.state === state) ?? node }
}

/** Returns the number of groups on the way to a node, with the node itself. */
export const depth = (node: ModelNode): number => chain(node).filter(({ kind }) => kind === 'GROUP').length

const isPlace = ({ isGone, kind }: ModelNode): boolean => !isGone && kind !== 'WORKSPACE'

const isTwin = (one: ModelNode, other: ModelNode): boolean => one.kind === other.kind && one.name === other.name

/**
 * Returns the limit of a quota at a node. Without a limit of its own, an organisation has the default limit, and any
 * other node has -1.
 */
const limitAt = ({ kind, limits }: ModelNode, quota: Quota): number =>
  limits.get(quota) ?? (kind === 'ORGANISATION' ? defaults[quota] : -1)
