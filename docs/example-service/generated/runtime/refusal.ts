// Copied by ninefold. Do not edit: generate writes it again.

import { ApiError, commonReasons } from './errors.ts'
import { cut } from './validation.ts'

/** The error of one faulty parameter or field. */
export function refusal(
  reason: keyof typeof commonReasons,
  field: string,
  description: string,
  metadata: Readonly<Record<string, string>> = {},
): ApiError {
  return new ApiError(commonReasons[reason], `${field}: ${description}`, metadata, {
    badRequest: [{ field, description }],
  })
}

/** A caller's value as messages show it: quoted, cut at 80 characters. */
export function quoted(value: string): string {
  return JSON.stringify(cut(value))
}

/** ` (did you mean "name"?)` for the nearest of `names`, or nothing when none is near. */
export function didYouMean(name: string, names: Iterable<string>): string {
  const wanted = plain(name)
  let best = ''
  let least = Math.floor(wanted.length / 3) + 2
  for (const candidate of names) {
    const distance = editDistance(wanted, plain(candidate))
    if (distance < least) [best, least] = [candidate, distance]
  }
  return best === '' ? '' : ` (did you mean ${quoted(best)}?)`
}

/** Case and separators are what people get wrong most. */
const plain = (name: string): string => name.slice(0, 64).toLowerCase().replace(/[_-]/g, '')

/** Levenshtein distance; `row` holds the distances of what was read of `from` to each beginning of `to`. */
function editDistance(from: string, to: string): number {
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
