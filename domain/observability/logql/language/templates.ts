import type { PatternPart, Template } from './log-expression.ts'

/** The fault of a template or of an expression of captures. */
export interface TextFault {
  readonly fault: string
  /** Whether the text is well-formed, but uses a feature that is not supported. */
  readonly isUnsupported?: boolean
}

export const isFault = (result: object): result is TextFault => 'fault' in result

/** An action that writes the value of a label. `-` trims the spaces beside it. */
const labelAction = /^(?<start>-\s)?\s*\.(?<label>[\p{L}_][\p{L}\p{Nd}_]*)\s*(?<end>\s-)?$/u

/** Reads a template with actions of the form `{{.label}}`. */
export function templateOf(text: string): Template | TextFault {
  const parts: ({ text: string } | { label: string })[] = []
  let from = 0
  let isTrimmed = false
  for (let open = text.indexOf('{{'); open !== -1; open = text.indexOf('{{', from)) {
    const close = text.indexOf('}}', open)
    if (close === -1) return { fault: 'an action of the template is not closed' }
    const action = text.slice(open + 2, close)
    if (action.trim() === '') return { fault: 'an action of the template is empty' }
    const { label, start, end } = labelAction.exec(action)?.groups ?? {}
    if (label === undefined) return { fault: `template {{${action}}}`, isUnsupported: true }
    parts.push(...textPart(text.slice(from, open), isTrimmed, start !== undefined), { label })
    isTrimmed = end !== undefined
    from = close + 2
  }
  parts.push(...textPart(text.slice(from), isTrimmed, false))
  return parts
}

function textPart(text: string, isStartTrimmed: boolean, isEndTrimmed: boolean): { text: string }[] {
  const start = isStartTrimmed ? text.replace(/^[ \t\r\n]+/, '') : text
  const trimmed = isEndTrimmed ? start.replace(/[ \t\r\n]+$/, '') : start
  return trimmed === '' ? [] : [{ text: trimmed }]
}

const capture = /<([A-Za-z_]\w*)>/g

/** Reads the expression of the parser `pattern`, such as `<ip> - - <_> "<method> <path>"`. */
export function patternPartsOf(text: string): readonly PatternPart[] | TextFault {
  const parts: PatternPart[] = []
  const names = new Set<string>()
  let from = 0
  for (const match of text.matchAll(capture)) {
    const [all, name = ''] = match
    if (match.index > from) parts.push({ kind: 'literal', text: text.slice(from, match.index) })
    else if (parts.length > 0) return { fault: `a text must stand between two captures, before ${all}` }
    if (names.has(name)) return { fault: `the capture ${all} is given twice` }
    if (name !== '_') names.add(name)
    parts.push({ kind: 'capture', ...(name !== '_' && { name }) })
    from = match.index + all.length
  }
  if (names.size === 0) return { fault: 'a pattern needs a capture with a name' }
  if (from < text.length) parts.push({ kind: 'literal', text: text.slice(from) })
  return parts
}
