import type { Filter, FilterField } from '../../../runtime/filter/types.ts'

/** The field of the names of objects, which sort by their code points: the order of their bytes in UTF-8. */
export const nameField: FilterField = { name: 'name', type: 'STRING', operators: [], sortable: true }

const [firstSurrogate, afterSurrogates, lastCodePoint] = [0xd800, 0xe000, 0x10_ff_ff]

/**
 * Returns the first text after all texts that begin with a prefix; undefined if there is none, as for an empty prefix.
 */
export function afterPrefix(prefix: string): string | undefined {
  const characters = [...prefix]
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const next = (last.codePointAt(0) ?? 0) + 1
    if (next > lastCodePoint) continue
    return characters.join('') + String.fromCodePoint(next === firstSurrogate ? afterSurrogates : next)
  }
  return undefined
}

/** Returns the filter for the names that begin with a prefix. `from` is the first name, by default the prefix itself. */
export function nameRange(prefix: string, from = prefix): readonly Filter[] {
  const end = afterPrefix(prefix)
  return [...(from === '' ? [] : [compare('>=', from)]), ...(end === undefined ? [] : [compare('<', end)])]
}

const compare = (operator: '>=' | '<', value: string): Filter => ({
  kind: 'compare',
  field: nameField,
  operator,
  value,
})
