import type { RE2JS } from 're2js'
import { anchoredExpression } from '../anchored-pattern.ts'
import { mergeRows, type Row } from './vectors.ts'

/** What `label_replace` does: it matches `source` with `pattern` and sets `target`. */
export interface Replacement {
  readonly target: string
  readonly replacement: string
  readonly source: string
  readonly pattern: string
}

/** Sets a label to a replacement where the pattern matches the whole value of another label. */
export function replaceLabel(
  rows: readonly Row[],
  { target, replacement, source, pattern }: Replacement,
): readonly Row[] {
  const expression = anchoredExpression(pattern)
  const results = new Map<string, string | undefined>()
  const changed = rows.map(row => {
    const value = row.labels.get(source)
    if (!results.has(value)) results.set(value, expand(expression, replacement, value))
    const result = results.get(value)
    return result === undefined ? row : { ...row, labels: row.labels.set(target, result) }
  })
  return mergeRows(changed)
}

/** Returns the replacement with `$1`, `${1}`, `$name` and `$$` expanded; undefined if the pattern does not match. */
function expand(expression: RE2JS, replacement: string, value: string): string | undefined {
  const match = expression.matcher(value)
  if (!match.matches()) return undefined
  const names = expression.namedGroups()
  return replacement.replaceAll(
    /\$(?:(\$)|(\w+)|\{(\w+)\})/g,
    (_, dollar?: string, plain?: string, braced?: string) => {
      if (dollar !== undefined) return dollar
      const name = plain ?? braced ?? ''
      const group = /^\d+$/.test(name) ? Number(name) : (names[name] ?? -1)
      return group < 0 || group > match.groupCount() ? '' : (match.group(group) ?? '')
    },
  )
}

/** Sets a label to the values of other labels, joined by a separator. */
export const joinLabels = (
  rows: readonly Row[],
  target: string,
  separator: string,
  sources: readonly string[],
): readonly Row[] =>
  mergeRows(
    rows.map(row => {
      const value = sources.map(source => row.labels.get(source)).join(separator)
      return { ...row, labels: row.labels.set(target, value) }
    }),
  )
