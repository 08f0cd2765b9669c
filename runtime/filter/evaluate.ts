import { isRecord, own } from '../validation.ts'
import { compareValues, pathOf, valueAs } from './fields.ts'
import type { Filter, FilterField, FilterType } from './types.ts'

type Restriction = Exclude<Filter, { readonly kind: 'and' | 'or' | 'not' }>

/** Whether a row, given as parsed JSON, matches a filter (conventions §8). NOT is two-valued. Never throws. */
export function matches(filter: Filter, row: unknown): boolean {
  switch (filter.kind) {
    case 'and':
      for (const term of filter.terms) if (!matches(term, row)) return false
      return true
    case 'or':
      for (const term of filter.terms) if (matches(term, row)) return true
      return false
    case 'not':
      return !matches(filter.term, row)
    default:
      return isMet(filter, row, pathOf(filter.field), 0)
  }
}

/**
 * Whether the value at the path `path`, from index `step` on, meets a restriction. In a list, at least one element must
 * meet the restriction. An unset object on the path meets no restriction.
 */
function isMet(restriction: Restriction, value: unknown, path: readonly string[], step: number): boolean {
  if (Array.isArray(value)) return value.some(element => isMet(restriction, element, path, step))
  const name = path[step]
  if (name === undefined || !isRecord(value)) return false
  const member = own(value, name)
  if (step + 1 < path.length) return isMet(restriction, member, path, step + 1)
  return fits(restriction, member ?? undefined)
}

function fits(restriction: Restriction, member: unknown): boolean {
  const { type, list, values = 'STRING' } = restriction.field
  if (restriction.key !== undefined) {
    // An absent key matches no operator, `!=` included; a key with an empty text exists.
    const value = isRecord(member) ? own(member, restriction.key) : undefined
    return value !== undefined && value !== null && (restriction.kind === 'present' || test(restriction, values, value))
  }
  if (restriction.kind === 'present') return isPresent(restriction.field, member)
  if (Array.isArray(member)) return member.some(element => test(restriction, type, element))
  return !(list && member === undefined) && test(restriction, type, member)
}

function isPresent({ enumValues, type }: FilterField, member: unknown): boolean {
  if (Array.isArray(member)) return member.length > 0
  if (isRecord(member)) return type !== 'MAP' || Object.keys(member).length > 0
  if (type === 'PRESENCE' || type === 'DURATION') return member !== undefined
  const value = valueAs[type](member)
  if (type === 'ENUM' && enumValues?.includes(String(value)) === false) return false
  return value !== null && ![false, 0, 0n, ''].includes(value)
}

function test(restriction: Exclude<Restriction, { kind: 'present' }>, type: FilterType, member: unknown): boolean {
  const value = valueAs[type](member)
  if (value === null) return false
  if (restriction.kind === 'like') return isLike(restriction.pieces, String(value)) !== restriction.negated
  const { operator } = restriction
  const difference = compareValues(value, restriction.value)
  if (difference === 0) return operator === '=' || operator === '<=' || operator === '>='
  return operator === '!=' || operator.startsWith(difference < 0 ? '<' : '>')
}

/**
 * Whether a text consists of `pieces` with any characters between them. The leftmost position of each inner piece
 * suffices, so no position is tried twice.
 */
export function isLike(pieces: readonly string[], text: string): boolean {
  const [first = ''] = pieces
  const last = pieces.at(-1) ?? ''
  const end = text.length - last.length
  if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false
  let at = first.length
  for (let i = 1; i < pieces.length - 1; i += 1) {
    const piece = pieces[i] ?? ''
    const found = text.indexOf(piece, at)
    if (found < 0 || found + piece.length > end) return false
    at = found + piece.length
  }
  return true
}
