import { LRUCache } from 'lru-cache'
import { conditionInvalid } from '../../../output/iam/errors.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { checkFilter } from '../../../runtime/filter/check.ts'
import type { Filter } from '../../../runtime/filter/types.ts'
import { addressRange } from '../values/address-range.ts'
import { comparisonOf, type Leaf } from './comparisons.ts'
import { conditionFields } from './condition-fields.ts'
import type { Condition, Verdict } from './condition.ts'
type Decide = Condition['decide']

const attributeNames = conditionFields.fields.map(({ name }) => name).join(', ')

const maxLength = 1024
const maxComparisons = 32

/** Checks and compiles a condition; returns undefined for an empty text. Throws CONDITION_INVALID at `field`. */
export function checkCondition(text: string, field: string): Condition | undefined {
  const refuse = (description: string): never => {
    throw conditionInvalid(`${field}: ${description}`, { badRequest: [{ field, description }] })
  }
  if (text.length > maxLength) return refuse(`has ${text.length} characters; at most ${maxLength} are allowed`)
  const filter = parse(text, refuse)
  if (filter === undefined) return undefined
  const leaves = [...leavesOf(filter)]
  if (leaves.length > maxComparisons)
    return refuse(`has ${leaves.length} comparisons; at most ${maxComparisons} are allowed`)
  for (const leaf of leaves) {
    const fault = faultOf(leaf)
    if (fault !== undefined) return refuse(fault)
  }
  return {
    decide: compile(filter),
    asksForResource: leaves.some(({ field: { name } }) => name.startsWith('resource.')),
  }
}

/**
 * The recently compiled conditions, keyed by their text: a change of one policy reloads all policies of its workspace.
 */
const readLately = new LRUCache<string, Condition>({ max: 4096 })

/**
 * Compiles a stored condition; returns undefined for an empty text. A condition that this version cannot parse is
 * always undecided.
 */
export function storedCondition(text: string): Condition | undefined {
  if (text === '') return undefined
  const known = readLately.get(text)
  if (known) return known
  const condition = readCondition(text)
  if (condition) readLately.set(text, condition)
  return condition
}

function readCondition(text: string): Condition | undefined {
  try {
    return checkCondition(text, 'condition')
  } catch (error) {
    if (error instanceof ApiError) return { decide: () => undefined, asksForResource: false }
    throw error
  }
}

function parse(text: string, refuse: (description: string) => never): Filter | undefined {
  try {
    return checkFilter(text, conditionFields)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const description = error.details.badRequest?.[0]?.description ?? error.message
    return refuse(
      description.startsWith('unknown field') ? `${description}; the attributes are ${attributeNames}` : description,
    )
  }
}

function* leavesOf(filter: Filter): Generator<Leaf, void, undefined> {
  if (filter.kind === 'not') yield* leavesOf(filter.term)
  else if (filter.kind === 'and' || filter.kind === 'or') for (const term of filter.terms) yield* leavesOf(term)
  else yield filter
}

/**
 * Returns the fault of a comparison that uses parts of the filter language that conditions do not allow; undefined if
 * the comparison is allowed.
 */
function faultOf(leaf: Leaf): string | undefined {
  if (leaf.field.name === 'resource.name' && leaf.kind === 'like') {
    const isPrefix = leaf.pieces.length === 2 && leaf.pieces[1] === ''
    return isPrefix ? undefined : 'a pattern for resource.name may contain one * only, at its end'
  }
  if (leaf.field.name !== 'request.ip' || leaf.kind === 'present') return undefined
  if (leaf.kind === 'compare' && addressRange(String(leaf.value))) return undefined
  return 'request.ip is compared with an address, or with a range such as "10.0.0.0/8"'
}

/**
 * Returns a filter compiled by Kleene's logic: the result is undecided only if the known attributes do not determine
 * it.
 */
function compile(filter: Filter): Decide {
  switch (filter.kind) {
    case 'and':
      return joined(filter.terms.map(compile), false)
    case 'or':
      return joined(filter.terms.map(compile), true)
    case 'not': {
      const decide = compile(filter.term)
      return attributes => {
        const verdict = decide(attributes)
        return verdict === undefined ? undefined : !verdict
      }
    }
    default:
      return comparisonOf(filter)
  }
}

/**
 * Returns the AND (`settling` is false) or the OR (`settling` is true) of terms. A term with the value `settling`
 * determines the result.
 */
function joined(terms: readonly Decide[], settling: boolean): Decide {
  return attributes => {
    let verdict: Verdict = !settling
    for (const decide of terms) {
      const found = decide(attributes)
      if (found === settling) return settling
      if (found === undefined) verdict = undefined
    }
    return verdict
  }
}
