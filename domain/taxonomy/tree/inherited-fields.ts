import { matches } from '../../../runtime/filter/evaluate.ts'
import type { Filter, FilterField } from '../../../runtime/filter/types.ts'
import type { ListQuery } from '../../../runtime/pagination.ts'
import type { Derived } from '../../ports/store.ts'
import { inheritedFields } from './nodes.ts'
import { inherit, type TreePlace, type Places } from './places.ts'
import { states, type State } from './states.ts'
import type { TreeView } from './tree-view.ts'

/** A query whose inherited fields the store can compute from `derived`. */
export interface AnswerableQuery {
  readonly query: ListQuery
  readonly derived?: Derived
}

/**
 * Returns the query of a list of groups or workspaces so that the store can filter and sort by inherited fields.
 * Effective state, ancestors and depth follow from the pair of a parent and an own state, and an organisation has few
 * such pairs. A query without inherited fields is returned unchanged.
 */
export function answerable(tree: TreeView, query: ListQuery): AnswerableQuery | Promise<AnswerableQuery> {
  const sorted = query.order.map(({ field }) => field).filter(isInherited)
  const taken = takeLeaves(query.filter)
  return sorted.length === 0 && taken.leaves.length === 0 ? { query } : derivedQuery(tree, query, sorted, taken)
}

async function derivedQuery(
  tree: TreeView,
  query: ListQuery,
  sorted: readonly FilterField[],
  { filter, leaves }: Taken,
): Promise<AnswerableQuery> {
  const pairs = pairsOf(await tree.all()).filter(pair => !query.filter || verdict(query.filter, pair) !== false)
  const derived = {
    from: ['parent_group_id', 'state'],
    fields: [...sorted, ...leaves.map(([field]) => field)],
    rows: pairs.map(pair => ({
      from: [pair.parent_group_id, pair.state],
      values: [...sorted.map(({ name }) => valueOf(pair, name)), ...leaves.map(([, leaf]) => matches(leaf, pair))],
    })),
  }
  return { query: { ...query, filter }, derived }
}

const isInherited = ({ name }: FilterField): boolean => inheritedFields.has(name)

/** A pair of parent and own state, with the inherited values of its nodes as filters see them. */
interface Pair {
  readonly parent_group_id: string
  readonly state: State
  readonly effective_state: string
  readonly depth: number
  readonly ancestors: TreePlace['ancestors']
}

/**
 * The pairs of an organisation, cached by its places: they are equal for many queries and are dropped with the places.
 */
const knownPairs = new WeakMap<Places, readonly Pair[]>()

function pairsOf(places: Places): readonly Pair[] {
  const known = knownPairs.get(places)
  if (known) return known
  const made = [...places].flatMap(([parent, place]) => states.map(state => pairOf(parent, place, state)))
  knownPairs.set(places, made)
  return made
}

const pairOf = (parent: string, place: TreePlace, state: State): Pair => ({
  parent_group_id: parent,
  state,
  effective_state: inherit(place.effective, state, place.scope).state,
  depth: place.depth + 1,
  ancestors: place.ancestors,
})

const valueOf = (pair: Pair, name: string): string | number => (name === 'depth' ? pair.depth : pair.effective_state)

/** The fields that all nodes of a pair share. */
const decided: ReadonlySet<string> = new Set(['parent_group_id', 'state', ...inheritedFields])

/** Returns whether the nodes of a pair match a filter; undefined if the result differs between the nodes. */
function verdict(filter: Filter, pair: Pair): boolean | undefined {
  switch (filter.kind) {
    case 'and':
      return joined(filter.terms, pair, false)
    case 'or':
      return joined(filter.terms, pair, true)
    case 'not': {
      const found = verdict(filter.term, pair)
      return found === undefined ? undefined : !found
    }
    default:
      return decided.has(filter.field.name) ? matches(filter, pair) : undefined
  }
}

/**
 * Returns `decisive` if one term has this result, undefined if the result of a term is unknown, and else the opposite.
 */
function joined(terms: readonly Filter[], pair: Pair, decisive: boolean): boolean | undefined {
  const found = terms.map(term => verdict(term, pair))
  if (found.includes(decisive)) return decisive
  return found.includes(undefined) ? undefined : !decisive
}

type Leaf = Exclude<Filter, { kind: 'and' | 'or' | 'not' }>

/** A filter whose conditions on inherited fields are replaced by derived boolean fields. */
interface Taken {
  readonly filter: Filter | undefined
  readonly leaves: readonly (readonly [field: FilterField, leaf: Leaf])[]
}

/**
 * Returns a filter in which each condition on an inherited field is replaced by a boolean field, and the replaced
 * conditions.
 */
function takeLeaves(filter: Filter | undefined): Taken {
  const leaves: (readonly [FilterField, Leaf])[] = []
  const take = (node: Filter): Filter => {
    if (node.kind === 'and' || node.kind === 'or') return { ...node, terms: node.terms.map(take) }
    if (node.kind === 'not') return { ...node, term: take(node.term) }
    if (!isInherited(node.field)) return node
    const field: FilterField = { name: `_inherited_${leaves.length}`, type: 'BOOLEAN', operators: [] }
    leaves.push([field, node])
    return { kind: 'compare', field, operator: '=', value: true }
  }
  return { filter: filter && take(filter), leaves }
}
