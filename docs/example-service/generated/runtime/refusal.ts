// Copied by ninefold. Do not edit: generate writes it again.

import { ApiError, commonReasons } from './errors.ts'
import type { FieldViolation } from './errors.ts'
import { cut } from './validation.ts'

type CommonReason = keyof typeof commonReasons

/** Returns the error of one faulty parameter or field. */
export function refusal(
  reason: CommonReason,
  field: string,
  description: string,
  metadata: Readonly<Record<string, string>> = {},
): ApiError {
  return new ApiError(commonReasons[reason], `${field}: ${description}`, metadata, {
    badRequest: [{ field, description }],
  })
}

/** Returns the error of all faults of a request. The message has the first fault and the number of further faults. */
export function fieldInvalid(faults: readonly FieldViolation[], reason: CommonReason = 'FIELD_INVALID'): ApiError {
  const violations = faults.map(fault => (fault.field === '' ? { ...fault, field: 'body' } : fault))
  const [first] = violations
  const others = violations.length > 1 ? ` (and ${violations.length - 1} more)` : ''
  const message = first === undefined ? 'the request is invalid' : `${first.field} ${first.description}${others}`
  return new ApiError(commonReasons[reason], message, {}, { badRequest: violations })
}

/** Matches blanks beyond ASCII, and format characters such as U+200B, which a reader cannot tell from blanks. */
const unusual = /[\u0085\u00a0\u1680\u2000-\u200b\u2028-\u202f\u205f\u2060\u2066-\u2069\u3000\ufeff]/
const eachUnusual = /* @__PURE__ */ new RegExp(unusual, 'g')

const unicode = (character: string): string =>
  `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`

/**
 * Returns a caller's value for a message: quoted, and cut at 80 characters. Unusual blanks and bidirectional overrides
 * are escaped, so that a reader sees them.
 */
export function quoted(value: string): string {
  return JSON.stringify(cut(value)).replace(eachUnusual, found => `\\u${unicode(found).slice(2).toLowerCase()}`)
}

/** Returns the name and the position of the first unusual blank in a text, or undefined for a text without them. */
export function unusualBlank(text: string): { readonly name: string; readonly at: number } | undefined {
  if (!unusual.test(text)) return undefined
  const at = text.search(unusual)
  const character = text.charAt(at)
  return { name: `${character === '\u00a0' ? 'the no-break space ' : 'the character '}${unicode(character)}`, at }
}

/** Returns ` (did you mean "name"?)` for the nearest of `names`, or an empty text if none is near. */
export function didYouMean(name: string, names: Iterable<string>): string {
  const wanted = plain(name)
  let [best, least] = ['', Math.floor(wanted.length / 3) + 2]
  for (const candidate of names) {
    const distance = editDistance(wanted, plain(candidate))
    if (distance < least) [best, least] = [candidate, distance]
  }
  return best === '' ? '' : ` (did you mean ${quoted(best)}?)`
}

/** Returns a name without case and separators, because most mistakes in names concern case and separators. */
const plain = (name: string): string => name.slice(0, 64).toLowerCase().replace(/[_-]/g, '')

/**
 * Returns the Levenshtein distance, or 1 if only the end of a name is missing. `row` holds the distances between the
 * read part of `from` and each prefix of `to`.
 */
function editDistance(from: string, to: string): number {
  if (from.length > 2 && to.startsWith(from)) return 1
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (const unit of from) {
    const next = [(row[0] ?? 0) + 1]
    for (let j = 1; j < row.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (unit === to[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
