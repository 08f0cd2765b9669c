import type { PatternPart, RegexpParser } from '../language/log-expression.ts'
import { labelNameOf } from './label-names.ts'
import { makeLabel, type StageFunction } from './stage-function.ts'
import type { WantedLabels } from './wanted-labels.ts'

/** Makes labels of the groups with names of the first match in a line. */
export function regexpParser({ pattern, names }: RegexpParser, wanted: WantedLabels): StageFunction {
  const groups = names.map(name => ({ name, key: labelNameOf(name) }))
  return (line, labels) => {
    const match = pattern.matcher(line)
    if (match.find()) for (const { name, key } of groups) makeLabel(labels, wanted, key, match.group(name) ?? '')
    return line
  }
}

/**
 * Makes labels of the captures of a pattern: each takes the text up to the next text of the pattern. If this text is
 * missing, the capture takes the rest of the line, and further captures make no labels.
 */
export function patternParser(parts: readonly PatternPart[], wanted: WantedLabels): StageFunction {
  const [first] = parts
  const start = first?.kind === 'literal' ? first.text : ''
  const captures = parts.slice(first?.kind === 'literal' ? 1 : 0)
  return (line, labels) => {
    if (wanted.areComplete(name => labels.isExtracted(name)) || line === '' || !line.startsWith(start)) return line
    let from = start.length
    for (const [index, part] of captures.entries()) {
      if (part.kind === 'literal') continue
      const next = captures[index + 1]
      const found = next?.kind === 'literal' ? line.indexOf(next.text, from) : -1
      const end = found === -1 ? line.length : found
      if (part.name !== undefined) makeLabel(labels, wanted, part.name, line.slice(from, end))
      if (next?.kind !== 'literal' || found === -1) break
      from = found + next.text.length
    }
    return line
  }
}
