import type { LineFilter, Stage } from '../language/log-expression.ts'

/** A condition on a line. */
export type LineTest = (line: string) => boolean

/** Returns the condition of a line filter. */
export function lineTest({ operator, alternatives }: LineFilter): LineTest {
  const tests = alternatives.map(({ text, pattern }): LineTest =>
    pattern === undefined ? line => line.includes(text) : line => pattern.test(line),
  )
  const [first = () => true] = tests
  const anyFits: LineTest = tests.length === 1 ? first : line => tests.some(test => test(line))
  return operator === '|=' || operator === '|~' ? anyFits : line => !anyFits(line)
}

/**
 * Returns what the lines of all entries that pass a pipeline contain: a text of each list. Filters after `line_format`
 * do not count, as they see another line.
 */
export function requiredTexts(stages: readonly Stage[]): readonly (readonly string[])[] {
  const required: (readonly string[])[] = []
  for (const stage of stages) {
    if (stage.kind === 'line_format') break
    if (stage.kind !== 'line-filter' || stage.operator !== '|=') continue
    const texts = stage.alternatives.map(({ text }) => text)
    if (!texts.includes('')) required.push(texts)
  }
  return required
}
